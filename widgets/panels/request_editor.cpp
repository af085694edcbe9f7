#include "widgets/panels/request_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "core/catalog/render_settings.h"
#include "widgets/panels/policy_box.h"
#include "widgets/panels/words_popup.h"
#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

namespace {

constexpr const char* kBuiltInModel = "demo";
constexpr int kTypingPauseMs = 600;     // a word half typed is no reason for a note
constexpr int kLargestEntry = 1 << 20;  // the model's own limits are checked with a message, not clipped

QLabel* heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setObjectName("heading");
    return label;
}

QLabel* quiet(const QString& text) {
    auto* label = new QLabel(text);
    label->setObjectName("quiet");
    return label;
}

QPlainTextEdit* textBox(int lines, const QString& name, const QString& placeholder) {
    auto* box = new QPlainTextEdit;
    box->setPlaceholderText(placeholder);
    box->setAccessibleName(name);
    box->setTabChangesFocus(true);
    box->setFixedHeight(box->fontMetrics().lineSpacing() * lines + 24);
    return box;
}

QSpinBox* numberBox(const QString& name) {
    auto* box = new QSpinBox;
    box->setRange(0, kLargestEntry);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->setAccessibleName(name);
    box->setMinimumWidth(44);
    return box;
}

/// What the command line says of the same mistake.
QString wrongSeed(const QString& text) {
    return QString("--seed %1: a whole number from 0 to 18446744073709551615 was needed").arg(text);
}

}  // namespace

RequestEditor::RequestEditor(QWidget* parent)
    : QWidget(parent),
      m_prompt(textBox(3, tr("Prompt"),
                       tr("What the video shows, e.g. “a red car driving to the right on a beach”"))),
      m_negative(textBox(1, tr("Negative prompt"), tr("What it should not show (optional)"))),
      m_examples(new QPushButton(tr("Examples"))),
      m_words(new QPushButton(tr("Words"))),
      m_unknownNote(new QLabel(tr("The demo model knows no object here: see Words"))),
      m_typingPause(new QTimer(this)),
      m_model(new QComboBox),
      m_folder(new QPushButton),
      m_backendBoxes(new QGridLayout),
      m_policy(new PolicyBox),
      m_seed(new QLineEdit("42")),
      m_steps(numberBox(tr("Steps"))),
      m_guidance(new QDoubleSpinBox),
      m_width(numberBox(tr("Width"))),
      m_height(numberBox(tr("Height"))),
      m_frames(numberBox(tr("Frames"))),
      m_problem(new QLabel),
      m_render(new QPushButton(tr("Render"))) {
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    buildFields();

    for (QPlainTextEdit* box : {m_prompt, m_negative})
        connect(box, &QPlainTextEdit::textChanged, this, &RequestEditor::check);
    connect(m_prompt, &QPlainTextEdit::textChanged, this, [this] {
        const QString prompt = m_prompt->toPlainText();
        m_typingPause->start();
        if (prompt.trimmed().isEmpty() || m_guide.namesKnownObject(prompt)) showGuidance();
    });
    connect(m_typingPause, &QTimer::timeout, this, &RequestEditor::showGuidance);
    connect(m_words, &QPushButton::clicked, this, [this] { m_wordsPopup->popUpBeside(*this); });
    for (QSpinBox* box : {m_steps, m_width, m_height, m_frames})
        connect(box, &QSpinBox::valueChanged, this, &RequestEditor::check);
    connect(m_guidance, &QDoubleSpinBox::valueChanged, this, &RequestEditor::check);
    connect(m_seed, &QLineEdit::textChanged, this, &RequestEditor::check);
    connect(m_model, &QComboBox::currentIndexChanged, this, &RequestEditor::showModelDefaults);
    connect(m_folder, &QPushButton::clicked, this, &RequestEditor::modelFolderRequested);
    connect(m_policy, &PolicyBox::fileRequested, this, &RequestEditor::policyFileRequested);
    connect(m_policy, &PolicyBox::policyChanged, this, &RequestEditor::check);
    connect(m_render, &QPushButton::clicked, this, &RequestEditor::submit);
    // Not the button's own shortcut: that is lost whenever its text changes.
    for (const char* keys : {"Ctrl+Return", "Ctrl+Enter"})
        connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, this, &RequestEditor::submit);
    check();
}

void RequestEditor::buildFields() {
    m_examples->setObjectName("flat");
    m_words->setObjectName("flat");
    m_words->setProperty("plain", true);  // no arrow: it opens no menu
    m_words->setToolTip(tr("The words that the demo model knows"));
    m_unknownNote->setObjectName("note");
    m_unknownNote->setWordWrap(true);
    for (QWidget* guidance : {static_cast<QWidget*>(m_examples), static_cast<QWidget*>(m_words),
                              static_cast<QWidget*>(m_unknownNote)})
        guidance->setVisible(false);
    m_typingPause->setSingleShot(true);
    m_typingPause->setInterval(kTypingPauseMs);
    m_folder->setIcon(icon(Glyph::Folder));
    m_folder->setToolTip(tr("Choose a model folder…"));
    m_folder->setAccessibleName(tr("Choose a model folder"));
    m_model->setAccessibleName(tr("Model"));
    m_model->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_model->setPlaceholderText(tr("Looking for models…"));
    m_seed->setAccessibleName(tr("Seed"));
    m_guidance->setRange(0, 1000);
    m_guidance->setDecimals(1);
    m_guidance->setSingleStep(0.5);
    m_guidance->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_guidance->setAccessibleName(tr("Guidance"));
    m_problem->setObjectName("problem");
    m_problem->setWordWrap(true);
    m_render->setObjectName("primary");
    m_render->setIcon(icon(Glyph::Render, QColor(0x0b, 0x14, 0x20)));
    m_render->setToolTip(tr("Render with each checked backend, in the background (Ctrl+Enter)"));

    auto* promptHead = new QHBoxLayout;
    promptHead->addWidget(heading(tr("PROMPT")));
    promptHead->addStretch();
    promptHead->addWidget(m_words);
    promptHead->addWidget(m_examples);
    auto* modelRow = new QHBoxLayout;
    modelRow->addWidget(m_model, 1);
    modelRow->addWidget(m_folder);
    m_backendBoxes->setVerticalSpacing(5);

    auto* numbers = new QGridLayout;
    numbers->setHorizontalSpacing(8);
    numbers->setVerticalSpacing(6);
    auto* size = new QHBoxLayout;
    size->setSpacing(5);
    size->addWidget(m_width, 1);
    size->addWidget(quiet(QChar(0xd7)));
    size->addWidget(m_height, 1);
    numbers->addWidget(quiet(tr("Size")), 0, 0);
    numbers->addLayout(size, 0, 1);
    numbers->addWidget(quiet(tr("Frames")), 0, 2);
    numbers->addWidget(m_frames, 0, 3);
    numbers->addWidget(quiet(tr("Seed")), 1, 0);
    numbers->addWidget(m_seed, 1, 1);
    numbers->addWidget(quiet(tr("Steps")), 1, 2);
    numbers->addWidget(m_steps, 1, 3);
    numbers->addWidget(quiet(tr("Guidance")), 2, 0);
    numbers->addWidget(m_guidance, 2, 1);
    numbers->setColumnStretch(1, 2);
    numbers->setColumnStretch(3, 1);

    auto* fields = new QWidget;
    auto* column = new QVBoxLayout(fields);
    column->setContentsMargins(0, 0, 6, 0);
    column->setSpacing(6);
    column->addLayout(promptHead);
    column->addWidget(m_prompt);
    column->addWidget(m_unknownNote);
    column->addWidget(m_negative);
    column->addSpacing(6);
    column->addWidget(heading(tr("MODEL")));
    column->addLayout(modelRow);
    column->addSpacing(6);
    column->addWidget(heading(tr("ATTENTION BACKENDS")));
    column->addLayout(m_backendBoxes);
    column->addWidget(m_policy);
    column->addSpacing(6);
    column->addWidget(heading(tr("SAMPLING")));
    column->addLayout(numbers);
    column->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidget(fields);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 12);
    layout->setSpacing(8);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_render);
}

void RequestEditor::setBackends(const std::vector<BackendChoice>& backends) {
    for (auto& [name, box] : m_backends) delete box;
    m_backends.clear();
    int position = 0;
    for (const BackendChoice& backend : backends) {
        auto* box = new QCheckBox(backend.title);
        box->setToolTip(
            QString("<p>%1</p>").arg(backend.description.toHtmlEscaped().replace("\n", "</p><p>")));
        QPixmap swatch(10, 10);
        swatch.fill(backendColor(backend.name));
        box->setIcon(swatch);
        box->setIconSize({10, 10});
        box->setEnabled(backend.available);
        box->setChecked(backend.available && backend.checkedAtFirst);
        connect(box, &QCheckBox::toggled, this, &RequestEditor::check);
        m_backendBoxes->addWidget(box, position, 0);
        m_backends.emplace_back(backend.name, box);
        ++position;
    }
    check();
}

void RequestEditor::setModels(std::vector<catalog::ModelInfo> models) {
    const std::string chosen = model() == nullptr ? kBuiltInModel : model()->id;
    {
        const QSignalBlocker quietly(m_model);
        m_models = std::move(models);
        m_model->clear();
        for (const catalog::ModelInfo& each : m_models)
            m_model->addItem(QString::fromStdString(each.title.empty() ? each.id : each.title));
        const auto kept = std::ranges::find(m_models, chosen, &catalog::ModelInfo::id);
        m_model->setCurrentIndex(kept == m_models.end() ? int(m_models.size()) - 1
                                                        : int(kept - m_models.begin()));
        if (m_models.empty()) m_model->setPlaceholderText(tr("No model found: choose a folder"));
    }
    showModelDefaults();
}

void RequestEditor::addModel(const catalog::ModelInfo& added) {
    std::erase_if(m_models, [&](const catalog::ModelInfo& each) { return each.id == added.id; });
    std::vector<catalog::ModelInfo> models = m_models;
    models.push_back(added);
    setModels(std::move(models));
    m_model->setCurrentIndex(m_model->count() - 1);
    if (added.id == m_asked.model) setRequest(protocol::RenderRequest(m_asked));
}

bool RequestEditor::knowsModel(const std::string& id) const {
    return std::ranges::find(m_models, id, &catalog::ModelInfo::id) != m_models.end();
}

void RequestEditor::setPromptGuide(PromptGuide guide) {
    m_guide = std::move(guide);
    delete m_examples->menu();
    delete m_wordsPopup;
    auto* menu = new QMenu(m_examples);
    for (const QString& prompt : m_guide.suggestions())
        menu->addAction(prompt, this, [this, prompt] { m_prompt->setPlainText(prompt); });
    m_examples->setMenu(menu);
    m_wordsPopup = new WordsPopup(m_guide, this);
    connect(m_wordsPopup, &WordsPopup::wordChosen, this, &RequestEditor::insertIntoPrompt);
    if (m_prompt->toPlainText().isEmpty() && !m_guide.suggestions().isEmpty())
        m_prompt->setPlainText(m_guide.suggestions().front());
    showGuidance();
}

void RequestEditor::showGuidance() {
    const bool guided = !m_guide.isEmpty() && model() != nullptr && model()->id == kBuiltInModel;
    m_examples->setVisible(guided);
    m_words->setVisible(guided);
    const QString prompt = m_prompt->toPlainText();
    m_unknownNote->setVisible(guided && !prompt.trimmed().isEmpty() && !m_guide.namesKnownObject(prompt));
}

void RequestEditor::insertIntoPrompt(const QString& word) {
    QTextCursor cursor = m_prompt->textCursor();
    const QString prompt = m_prompt->toPlainText();
    const int start = cursor.selectionStart();
    const int end = cursor.selectionEnd();
    QString spaced = word;
    if (start > 0 && !prompt[start - 1].isSpace()) spaced.prepend(' ');
    if (end < prompt.size() && prompt[end].isLetterOrNumber()) spaced.append(' ');
    cursor.insertText(spaced);
    m_prompt->setTextCursor(cursor);
}

const catalog::ModelInfo* RequestEditor::model() const {
    const int index = m_model->currentIndex();
    return index < 0 || index >= int(m_models.size()) ? nullptr : &m_models[std::size_t(index)];
}

void RequestEditor::showModelDefaults() {
    if (const catalog::ModelInfo* chosen = model()) {
        const catalog::RenderDefaults& defaults = chosen->defaults;
        m_width->setSingleStep(chosen->sizes.sizeMultiple);
        m_height->setSingleStep(chosen->sizes.sizeMultiple);
        m_frames->setSingleStep(chosen->frames.stride);
        m_width->setValue(defaults.width);
        m_height->setValue(defaults.height);
        m_frames->setValue(defaults.numFrames);
        m_steps->setValue(defaults.numInferenceSteps);
        m_guidance->setValue(defaults.guidanceScale);
        m_negative->setPlainText(QString::fromStdString(defaults.negativePrompt));
        m_model->setToolTip(QString::fromStdString(chosen->folder.string()));
    }
    showGuidance();
    check();
}

protocol::RenderRequest RequestEditor::request() const {
    protocol::RenderRequest request;
    if (const catalog::ModelInfo* chosen = model()) {
        request.model = chosen->id;
        request.task = chosen->defaults.task;
    }
    request.prompt = m_prompt->toPlainText().simplified().toStdString();
    request.negativePrompt = m_negative->toPlainText().simplified().toStdString();
    request.width = m_width->value();
    request.height = m_height->value();
    request.numFrames = m_frames->value();
    request.numInferenceSteps = m_steps->value();
    request.guidanceScale = m_guidance->value();
    request.seed = m_seed->text().toULongLong();
    request.attentionPolicy = m_policy->policy();
    return request;
}

void RequestEditor::setRequest(const protocol::RenderRequest& request) {
    m_asked = request;
    const auto known = std::ranges::find(m_models, request.model, &catalog::ModelInfo::id);
    if (known != m_models.end()) m_model->setCurrentIndex(int(known - m_models.begin()));
    m_prompt->setPlainText(QString::fromStdString(request.prompt));
    if (request.negativePrompt) m_negative->setPlainText(QString::fromStdString(*request.negativePrompt));
    if (request.width) m_width->setValue(*request.width);
    if (request.height) m_height->setValue(*request.height);
    if (request.numFrames) m_frames->setValue(*request.numFrames);
    if (request.numInferenceSteps) m_steps->setValue(*request.numInferenceSteps);
    if (request.guidanceScale) m_guidance->setValue(*request.guidanceScale);
    m_seed->setText(QString::number(request.seed));
    m_policy->setPolicy(request.attentionPolicy);
}

void RequestEditor::setAttentionPolicy(const protocol::AttentionPolicy& policy) {
    m_policy->setPolicy(policy);
}

QStringList RequestEditor::checkedBackends() const {
    QStringList names;
    for (const auto& [name, box] : m_backends)
        if (box->isChecked()) names.append(name);
    return names;
}

void RequestEditor::setCheckedBackends(const QStringList& names) {
    for (const auto& [name, box] : m_backends) box->setChecked(box->isEnabled() && names.contains(name));
}

QString RequestEditor::problem() const {
    bool isNumber = false;
    m_seed->text().toULongLong(&isNumber);
    if (!isNumber) return wrongSeed(m_seed->text());
    const catalog::ModelInfo* chosen = model();
    if (chosen == nullptr) return tr("--model: choose a model, or a folder with one");
    if (m_prompt->toPlainText().trimmed().isEmpty()) return tr("--prompt: some words are needed");
    if (checkedBackends().isEmpty()) return tr("--types: at least one attention backend is needed");
    const auto settings = catalog::resolveSettings(request(), *chosen);
    return settings ? QString() : QString::fromStdString(settings.error().message);
}

void RequestEditor::submit() {
    if (problem().isEmpty()) Q_EMIT renderRequested();
}

void RequestEditor::check() {
    const QString what = problem();
    m_problem->setText(what);
    m_problem->setVisible(!what.isEmpty() && !m_models.empty());
    m_render->setEnabled(what.isEmpty());
    const auto count = checkedBackends().size();
    m_render->setText(count > 1 ? tr("Render %1 backends").arg(count) : tr("Render"));
    // The field that the message is about is outlined.
    const std::pair<const char*, QWidget*> fields[] = {{"--seed", m_seed},
                                                       {"--width", m_width},
                                                       {"--height", m_height},
                                                       {"--num-frames", m_frames},
                                                       {"--num-inference-steps", m_steps},
                                                       {"--guidance-scale", m_guidance},
                                                       {"--prompt", m_prompt}};
    for (const auto& [option, field] : fields) {
        const bool invalid = what.startsWith(QString(option) + ' ') || what.startsWith(QString(option) + ':');
        if (field->property("invalid").toBool() == invalid) continue;
        field->setProperty("invalid", invalid);
        field->style()->unpolish(field);
        field->style()->polish(field);
    }
}

}  // namespace reelgrid::widgets

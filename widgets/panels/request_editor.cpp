#include "widgets/panels/request_editor.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/catalog/built_in_models.h"
#include "core/catalog/render_settings.h"
#include "core/protocol/attention_name.h"
#include "widgets/panels/advanced_fields.h"
#include "widgets/panels/backend_option_fields.h"
#include "widgets/panels/expert_fields.h"
#include "widgets/panels/form_parts.h"
#include "widgets/panels/model_box.h"
#include "widgets/panels/model_fields.h"
#include "widgets/panels/motion_fields.h"
#include "widgets/panels/picture_slot.h"
#include "widgets/panels/policy_box.h"
#include "widgets/panels/prompt_fields.h"
#include "widgets/panels/sampling_fields.h"
#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

namespace {

/// Scrolls up and down alone: never narrower than what it shows.
class ColumnScroll : public QScrollArea {
  public:
    [[nodiscard]] QSize minimumSizeHint() const override {
        const QSize own = QScrollArea::minimumSizeHint();
        if (widget() == nullptr) return own;
        return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(), own.height()};
    }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }
};

/// What Stable Diffusion 3.5's further text encoders are given.
std::vector<ModelValue> furtherPrompts() {
    const QString prompt = RequestEditor::tr("the prompt"),
                  negative = RequestEditor::tr("the negative prompt");
    return {
        {"prompt_2", RequestEditor::tr("Prompt 2"),
         RequestEditor::tr("What the second text encoder is given, CLIP bigG"), prompt},
        {"prompt_3", RequestEditor::tr("Prompt 3"), RequestEditor::tr("What the third one is given, T5"),
         prompt},
        {"negative_prompt_2", RequestEditor::tr("Negative 2"),
         RequestEditor::tr("The second encoder's negative prompt"), negative},
        {"negative_prompt_3", RequestEditor::tr("Negative 3"), RequestEditor::tr("T5's negative prompt"),
         negative},
        {"max_sequence_length",
         RequestEditor::tr("Tokens"),
         RequestEditor::tr("T5's tokens, padding among them"),
         {}},
    };
}

/// How a sampler is told what only some families' models know.
std::vector<ModelValue> valuesOfSomeModels() {
    constexpr const char* kLayers = "skip_guidance_layers";
    return {
        {"temporal_module", RequestEditor::tr("Temporal module"),
         RequestEditor::tr("Attention over frames in place of the model's: a folder or a hub id"),
         RequestEditor::tr("the model's own")},
        {"temporal_alpha",
         RequestEditor::tr("Temporal"),
         RequestEditor::tr("How strongly frames see each other"),
         {}},
        {kLayers, RequestEditor::tr("Skip layers"),
         RequestEditor::tr(
             "Skip-layer guidance: steer away from what a pass without these layers predicts, such as 7-9"),
         RequestEditor::tr("none")},
        {"skip_layer_guidance_scale",
         RequestEditor::tr("Skip scale"),
         RequestEditor::tr("How far to steer away"),
         {},
         {},
         kLayers},
        {"skip_layer_guidance_start",
         RequestEditor::tr("from"),
         RequestEditor::tr("After which share of the steps"),
         {},
         {},
         kLayers},
        {"skip_layer_guidance_stop",
         RequestEditor::tr("to"),
         RequestEditor::tr("Up to which share of the steps"),
         {},
         {},
         kLayers},
        {"motion_bucket_id",
         RequestEditor::tr("Motion"),
         RequestEditor::tr("Motion bucket: how much is to move, 0 to 255 in training"),
         {}},
        {"noise_aug_strength",
         RequestEditor::tr("Noise"),
         RequestEditor::tr("Noise on the picture: more of it, and the clip keeps less to the picture"),
         {}},
        {"min_guidance_scale",
         RequestEditor::tr("Guidance"),
         RequestEditor::tr("At the first frame; it grows over the frames"),
         {}},
        {"max_guidance_scale",
         RequestEditor::tr("to"),
         RequestEditor::tr("Guidance at the last frame; at most 1: none"),
         {}},
        {"decode_chunk_size",
         RequestEditor::tr("Decode"),
         RequestEditor::tr(
             "Frames that are decoded together: fewer take less memory, and know less of each other"),
         {}},
    };
}

std::vector<ModelValue> sparseValues() {
    return {{"sla_topk",
             RequestEditor::tr("Keys kept by sla"),
             RequestEditor::tr("Share of the key blocks that each block of queries keeps"),
             {}}};
}

}  // namespace

RequestEditor::RequestEditor(machine::Machine machine, QWidget* parent)
    : QWidget(parent),
      m_machine(std::move(machine)),
      m_prompt(new PromptFields),
      m_furtherPrompts(new ModelFields(furtherPrompts())),
      m_motion(new MotionFields),
      m_pictures(new PictureFields),
      m_model(new ModelBox),
      m_backends(new BackendBoxes),
      m_backendOptions(new BackendOptionFields),
      m_sparse(new ModelFields(sparseValues())),
      m_policy(new PolicyBox),
      m_loras(new LoraFields),
      m_sampling(new SamplingFields),
      m_expert(new ExpertFields),
      m_ofSomeModels(new ModelFields(valuesOfSomeModels())),
      m_advanced(new AdvancedFields(m_machine.gpus)),
      // The model first: its defaults are what the others show where a request says nothing.
      m_fields{m_model,          m_prompt, m_furtherPrompts, m_motion, m_pictures,     m_loras,   m_policy,
               m_backendOptions, m_sparse, m_sampling,       m_expert, m_ofSomeModels, m_advanced},
      m_problem(new QLabel),
      m_forecast(new QLabel),
      m_render(new QPushButton(tr("Render"))) {
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    setAcceptDrops(true);
    m_problem->setObjectName("problem");
    m_problem->setWordWrap(true);
    m_forecast->setWordWrap(true);
    m_forecast->setTextFormat(Qt::PlainText);
    m_forecast->setAccessibleName(tr("What the renders will take"));
    setForecast({}, Forecast::Plain);
    m_render->setObjectName("primary");
    m_render->setIcon(icon(Glyph::Render, theme::kOnAccent));
    m_render->setToolTip(tr("Render with each checked backend, in the background (Ctrl+Enter)"));
    buildLayout();
    m_backendOptions->setMachine(m_machine);
    leaveWheelToScrolling();

    connect(m_advanced, &RequestFields::edited, this, [this] { followScheduler(m_advanced->scheduler()); });
    for (RequestFields* fields : m_fields)
        connect(fields, &RequestFields::edited, this, &RequestEditor::check);
    connect(m_backends, &BackendBoxes::edited, this, &RequestEditor::check);
    connect(m_model, &ModelBox::modelChosen, this, &RequestEditor::takeModelDefaults);
    connect(m_model, &ModelBox::folderRequested, this, &RequestEditor::modelFolderRequested);
    connect(m_pictures, &PictureFields::fileRequested, this, &RequestEditor::pictureRequested);
    connect(m_pictures, &PictureFields::thumbnailRequested, this, &RequestEditor::thumbnailRequested);
    connect(m_loras, &LoraFields::fileRequested, this, &RequestEditor::loraRequested);
    connect(m_policy, &PolicyBox::fileRequested, this, &RequestEditor::policyFileRequested);
    connect(m_render, &QPushButton::clicked, this, &RequestEditor::submit);
    // Not the button's own shortcut: that is lost whenever its text changes.
    for (const char* keys : {"Ctrl+Return", "Ctrl+Enter"})
        connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, this, &RequestEditor::submit);
    check();
}

void RequestEditor::buildLayout() {
    auto* fields = new QWidget;
    auto* column = new QVBoxLayout(fields);
    column->setContentsMargins(0, 0, 6, 0);
    column->setSpacing(6);
    column->addWidget(m_prompt);
    column->addWidget(m_furtherPrompts);
    column->addWidget(m_motion);
    column->addSpacing(6);
    column->addWidget(heading(tr("MODEL")));
    column->addWidget(m_model);
    column->addWidget(m_pictures);
    column->addWidget(m_loras);
    column->addSpacing(6);
    column->addWidget(heading(tr("ATTENTION BACKENDS")));
    column->addWidget(m_backends);
    column->addWidget(m_backendOptions);
    column->addWidget(m_sparse);
    column->addWidget(m_policy);
    column->addSpacing(6);
    column->addWidget(heading(tr("SAMPLING")));
    column->addWidget(m_sampling);
    column->addWidget(m_expert);
    column->addWidget(m_ofSomeModels);
    column->addWidget(m_advanced);
    column->addStretch();
    auto* scroll = new ColumnScroll;
    scroll->setFocusPolicy(Qt::NoFocus);  // the arrow keys are for playing
    scroll->setWidget(fields);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 12);
    layout->setSpacing(8);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_forecast);
    layout->addWidget(m_render);
}

/// Whoever scrolls the panel must not change what the pointer happens to pass.
void RequestEditor::leaveWheelToScrolling() {
    for (QWidget* field : findChildren<QWidget*>()) {
        if (qobject_cast<QAbstractSpinBox*>(field) == nullptr && qobject_cast<QComboBox*>(field) == nullptr)
            continue;
        field->setFocusPolicy(Qt::StrongFocus);
        field->installEventFilter(this);
    }
}

bool RequestEditor::eventFilter(QObject* watched, QEvent* event) {
    const auto* field = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::Wheel || field == nullptr || field->hasFocus()) return false;
    event->ignore();
    return true;
}

void RequestEditor::dragEnterEvent(QDragEnterEvent* event) {
    if (m_pictures->takesPictures() && !pictureIn(*event).isEmpty()) event->acceptProposedAction();
}

void RequestEditor::dropEvent(QDropEvent* event) {
    const QString path = pictureIn(*event);
    if (!path.isEmpty() && takePicture(path)) event->acceptProposedAction();
}

bool RequestEditor::takePicture(const QString& path) {
    if (!m_pictures->takesPictures()) return false;
    m_pictures->setPicture(PictureFields::Which::First, path);
    return true;
}

void RequestEditor::setPicture(PictureFields::Which which, const QString& path) {
    m_pictures->setPicture(which, path);
}

void RequestEditor::addLora(LoraFields::Which which, const QString& file) {
    m_loras->add(which, file);
}

void RequestEditor::askForThumbnails() {
    m_pictures->askForThumbnails();
}

void RequestEditor::setThumbnail(const QString& path, const QImage& image) {
    m_pictures->setThumbnail(path, image);
}

void RequestEditor::setMachine(machine::Machine machine) {
    m_machine = std::move(machine);
    m_backendOptions->setMachine(m_machine);
    check();
}

void RequestEditor::setBackends(const std::vector<BackendChoice>& backends) {
    m_backends->setBackends(backends);
}

void RequestEditor::setModels(std::vector<families::ModelInfo> models) {
    m_model->setModels(std::move(models));
    Q_EMIT replaced();
}

void RequestEditor::addModel(const families::ModelInfo& added) {
    m_model->addModel(added);
    if (added.id == m_asked.model) setRequest(protocol::RenderRequest(m_asked));
    Q_EMIT replaced();
}

bool RequestEditor::knowsModel(const std::string& id) const {
    return m_model->knows(id);
}

const std::vector<families::ModelInfo>& RequestEditor::models() const {
    return m_model->models();
}

const families::ModelInfo* RequestEditor::model() const {
    return m_model->chosen();
}

void RequestEditor::setPromptGuide(PromptGuide guide) {
    m_prompt->setGuide(std::move(guide));
    Q_EMIT replaced();
}

void RequestEditor::takeModelDefaults() {
    using Guidance = PromptFields::Guidance;
    const families::ModelInfo* chosen = model();
    if (chosen != nullptr) {
        for (RequestFields* fields : m_fields) fields->takeDefaults(*chosen);
        m_model->setToolTip(QString::fromStdString(chosen->folder.string()));
    }
    const bool builtIn = chosen != nullptr && catalog::findBuiltIn(chosen->id) != nullptr;
    m_prompt->setGuidance(builtIn ? Guidance::Offered : Guidance::Hidden);
    check();
}

void RequestEditor::followScheduler(const std::optional<std::string>& scheduler) {
    if (scheduler == m_scheduler) return;
    const std::optional<std::string> before = std::exchange(m_scheduler, scheduler);
    if (model() == nullptr) return;
    for (RequestFields* fields : m_fields)
        fields->changeDefaults(model()->defaultsWith(before), model()->defaultsWith(scheduler));
}

protocol::RenderRequest RequestEditor::request() const {
    protocol::RenderRequest request = m_asked;
    for (const RequestFields* fields : m_fields) fields->write(request);
    return request;
}

void RequestEditor::setRequest(const protocol::RenderRequest& request) {
    m_asked = request;
    m_model->read(request);
    // What an earlier request or a person had in a field is not what this one leaves to the model.
    if (model() != nullptr && model()->id == request.model) takeModelDefaults();
    followScheduler(request.scheduler);
    for (RequestFields* fields : m_fields) fields->read(request);
    Q_EMIT replaced();
}

void RequestEditor::setAttentionPolicy(const protocol::AttentionPolicy& policy) {
    m_policy->setPolicy(policy);
}

QStringList RequestEditor::checkedBackends() const {
    return m_backends->checked();
}

void RequestEditor::setCheckedBackends(const QStringList& names) {
    m_backends->setChecked(names);
}

QString RequestEditor::problem() const {
    for (const RequestFields* fields : m_fields)
        if (const QString problem = fields->problem(); !problem.isEmpty()) return problem;
    if (checkedBackends().isEmpty()) return tr("--types: at least one attention backend is needed");
    const auto settings = catalog::resolveSettings(request(), *model(), m_machine);
    return settings ? QString() : QString::fromStdString(settings.error().message);
}

void RequestEditor::setForecast(const QString& text, Forecast look, const QString& tip) {
    m_forecast->setText(text);
    m_forecast->setToolTip(tip);
    m_forecast->setVisible(!text.isEmpty());
    const char* name = look == Forecast::Warning ? "note" : "aside";
    if (m_forecast->objectName() == name) return;
    m_forecast->setObjectName(name);
    m_forecast->style()->unpolish(m_forecast);
    m_forecast->style()->polish(m_forecast);
}

QString RequestEditor::forecast() const {
    return m_forecast->text();
}

void RequestEditor::writePrompt() {
    m_prompt->setFocus();
}

void RequestEditor::submit() {
    if (problem().isEmpty()) Q_EMIT renderRequested();
}

void RequestEditor::check() {
    const QString what = problem();
    m_problem->setText(what);
    m_problem->setVisible(!what.isEmpty() && !m_model->isEmpty());
    m_render->setEnabled(what.isEmpty());
    const auto count = checkedBackends().size();
    m_render->setText(count > 1 ? tr("Render %1 backends").arg(count) : tr("Render"));
    outlineFieldOf(what);
    showSparse();
    m_backendOptions->setChecked(checkedBackends());
    Q_EMIT edited();
}

/// Where a backend has a use for it, or it says something that isn't the usual.
void RequestEditor::showSparse() {
    const QStringList checked = checkedBackends();
    const bool asked = std::ranges::any_of(
        checked, [](const QString& name) { return protocol::isSparse(name.toStdString()); });
    m_sparse->setVisible(model() != nullptr &&
                         (asked || m_sparse->hasOwnChoice() || protocol::asksForSparse(request())));
}

void RequestEditor::outlineFieldOf(const QString& problem) {
    for (QWidget* field : findChildren<QWidget*>()) {
        const QString option = optionOf(field);
        if (option.isEmpty()) continue;
        const bool invalid = problem.startsWith(option + ' ') || problem.startsWith(option + ':');
        if (field->property("invalid").toBool() == invalid) continue;
        field->setProperty("invalid", invalid);
        field->style()->unpolish(field);
        field->style()->polish(field);
    }
}

}  // namespace reelgrid::widgets

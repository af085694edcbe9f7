#include "widgets/panels/prompt_fields.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "core/families/offered_tasks.h"
#include "widgets/panels/form_parts.h"
#include "widgets/panels/words_popup.h"

namespace reelgrid::widgets {

namespace {

constexpr int kTypingPauseMs = 600;  // a word half typed is no reason for a note

/// The text on one line; `given` itself where the difference is only in white space, so that nobody changes
/// it by looking at it.
std::string textOf(const QPlainTextEdit* box, const std::string& given) {
    const QString line = box->toPlainText().simplified();
    return line == QString::fromStdString(given).simplified() ? given : line.toStdString();
}

}  // namespace

PromptFields::PromptFields(QWidget* parent)
    : RequestFields(parent),
      m_prompt(textBox(3, tr("Prompt"),
                       tr("What the video shows, e.g. “a red car driving to the right on a beach”"))),
      m_negative(textBox(1, tr("Negative prompt"), tr("What it should not show (optional)"))),
      m_examples(new QPushButton(tr("Examples"))),
      m_words(new QPushButton(tr("Words"))),
      m_unknownNote(new QLabel(tr("The demo model knows no object here: see Words"))),
      m_withoutT5(quiet(tr("T5 is left out: CLIP's two encoders read the prompt"))),
      m_typingPause(new QTimer(this)) {
    setFocusProxy(m_prompt);
    setOption(m_prompt, "--prompt");
    setOption(m_negative, "--negative-prompt");
    m_examples->setObjectName("flat");
    m_words->setObjectName("flat");
    m_words->setProperty("plain", true);  // no arrow: it opens no menu
    m_words->setToolTip(tr("The words that the demo model knows"));
    m_unknownNote->setObjectName("note");
    m_unknownNote->setWordWrap(true);
    m_withoutT5->setToolTip(tr("The model's folder has no text_encoder_3; with one, T5 reads it, too"));
    m_withoutT5->hide();
    m_typingPause->setSingleShot(true);
    m_typingPause->setInterval(kTypingPauseMs);
    buildLayout();
    showGuidance();

    for (QPlainTextEdit* box : {m_prompt, m_negative})
        connect(box, &QPlainTextEdit::textChanged, this, &PromptFields::edited);
    connect(m_prompt, &QPlainTextEdit::textChanged, this, [this] {
        const QString prompt = m_prompt->toPlainText();
        m_typingPause->start();
        if (prompt.trimmed().isEmpty() || m_guide.namesKnownObject(prompt)) showGuidance();
    });
    connect(m_typingPause, &QTimer::timeout, this, &PromptFields::showGuidance);
    connect(m_words, &QPushButton::clicked, this, [this] { m_wordsPopup->popUpBeside(*this); });
}

void PromptFields::buildLayout() {
    auto* head = new QHBoxLayout;
    head->addWidget(heading(tr("PROMPT")));
    head->addStretch();
    head->addWidget(m_words);
    head->addWidget(m_examples);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(head);
    column->addWidget(m_prompt);
    column->addWidget(m_unknownNote);
    column->addWidget(m_negative);
    column->addWidget(m_withoutT5);
}

void PromptFields::setGuide(PromptGuide guide) {
    m_guide = std::move(guide);
    delete m_examples->menu();
    delete m_wordsPopup;
    auto* menu = new QMenu(m_examples);
    for (const QString& prompt : m_guide.suggestions())
        menu->addAction(prompt, this, [this, prompt] { m_prompt->setPlainText(prompt); });
    m_examples->setMenu(menu);
    m_wordsPopup = new WordsPopup(m_guide, this);
    connect(m_wordsPopup, &WordsPopup::wordChosen, this, &PromptFields::insertIntoPrompt);
    if (m_prompt->toPlainText().isEmpty() && !m_guide.suggestions().isEmpty())
        m_prompt->setPlainText(m_guide.suggestions().front());
    showGuidance();
}

void PromptFields::setGuidance(Guidance guidance) {
    m_guidance = guidance;
    showGuidance();
}

void PromptFields::showGuidance() {
    const bool guided = !m_guide.isEmpty() && m_guidance == Guidance::Offered;
    m_examples->setVisible(guided);
    m_words->setVisible(guided);
    const QString prompt = m_prompt->toPlainText();
    m_unknownNote->setVisible(guided && !prompt.trimmed().isEmpty() && !m_guide.namesKnownObject(prompt));
}

void PromptFields::insertIntoPrompt(const QString& word) {
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

void PromptFields::takeDefaults(const families::ModelInfo& model) {
    m_takesPrompt = families::takesPrompts(model);
    setVisible(m_takesPrompt);
    m_negative->setPlainText(QString::fromStdString(model.defaults.negativePrompt));
    m_takesNegative = model.takes("negative_prompt");
    m_negative->setVisible(m_takesNegative);
    m_withoutT5->setVisible(model.takes("prompt_2") && !model.takes("prompt_3"));
}

void PromptFields::read(const protocol::RenderRequest& request) {
    m_prompt->setPlainText(QString::fromStdString(request.prompt));
    if (request.negativePrompt) m_negative->setPlainText(QString::fromStdString(*request.negativePrompt));
}

void PromptFields::write(protocol::RenderRequest& request) const {
    request.prompt = m_takesPrompt ? textOf(m_prompt, request.prompt) : std::string();
    if (m_takesNegative) request.negativePrompt = textOf(m_negative, request.negativePrompt.value_or(""));
}

QString PromptFields::problem() const {
    return m_takesPrompt && m_prompt->toPlainText().trimmed().isEmpty()
               ? tr("--prompt: some words are needed")
               : QString();
}

}  // namespace reelgrid::widgets

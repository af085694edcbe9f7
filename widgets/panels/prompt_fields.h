#pragma once

#include "widgets/panels/prompt_guide.h"
#include "widgets/panels/request_fields.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTimer;

namespace reelgrid::widgets {

class WordsPopup;

/// Prompt and negative prompt; with a guide, its suggestions and words, and a note where it knows no object
/// of the prompt. Hidden for models that are given a picture and no prompt.
class PromptFields : public RequestFields {
    Q_OBJECT

  public:
    explicit PromptFields(QWidget* parent = nullptr);

    /// Its first suggestion fills an empty prompt.
    void setGuide(PromptGuide guide);
    enum class Guidance { Offered, Hidden };
    void setGuidance(Guidance guidance);

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;
    [[nodiscard]] QString problem() const override;

  private:
    void buildLayout();
    void showGuidance();
    void insertIntoPrompt(const QString& word);

    QPlainTextEdit* m_prompt;
    QPlainTextEdit* m_negative;
    bool m_takesPrompt = true, m_takesNegative = true;
    PromptGuide m_guide;
    Guidance m_guidance = Guidance::Hidden;
    QPushButton* m_examples;
    QPushButton* m_words;
    WordsPopup* m_wordsPopup = nullptr;
    QLabel* m_unknownNote;
    QLabel* m_withoutT5;
    QTimer* m_typingPause;
};

}  // namespace reelgrid::widgets

#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <map>
#include <vector>

#include "core/catalog/model_info.h"
#include "core/protocol/render_request.h"
#include "widgets/panels/prompt_guide.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTimer;

namespace reelgrid::widgets {

class PolicyBox;
class WordsPopup;

/// An attention backend as the editor offers it.
struct BackendChoice {
    QString name;         ///< as --attention-type takes it
    QString title;        ///< beside the box
    QString description;  ///< the tool tip
    bool available = true;
    bool checkedAtFirst = true;
};

/// Everything that defines a comparison: what to render, with which model, with which backends. Checks the
/// values as they are typed, with the words of the command line.
class RequestEditor : public QWidget {
    Q_OBJECT

  public:
    explicit RequestEditor(QWidget* parent = nullptr);

    /// In this order; those to begin with are checked.
    void setBackends(const std::vector<BackendChoice>& backends);
    /// Keeps the chosen model if it is still among them, else chooses the built-in one.
    void setModels(std::vector<catalog::ModelInfo> models);
    /// And chooses it; sizes and the like become its defaults unless a request asked for this very model.
    void addModel(const catalog::ModelInfo& model);
    [[nodiscard]] bool knowsModel(const std::string& id) const;
    /// Suggestions and words offered while the built-in model is chosen. Its first suggestion fills an empty
    /// prompt.
    void setPromptGuide(PromptGuide guide);

    /// As it stands; attentionType and output are for the caller to fill in.
    [[nodiscard]] protocol::RenderRequest request() const;
    void setRequest(const protocol::RenderRequest& request);
    /// The rules that come before the checked backends; part of request().
    void setAttentionPolicy(const protocol::AttentionPolicy& policy);
    [[nodiscard]] QStringList checkedBackends() const;
    void setCheckedBackends(const QStringList& names);
    /// Why it can't be rendered, in one line; empty when it can.
    [[nodiscard]] QString problem() const;
    /// Asks for the render, if there is no problem.
    void submit();

  Q_SIGNALS:
    void renderRequested();
    void modelFolderRequested();
    void policyFileRequested();

  private:
    void buildFields();
    void showModelDefaults();
    void check();
    void showGuidance();
    void insertIntoPrompt(const QString& word);
    [[nodiscard]] const catalog::ModelInfo* model() const;

    std::vector<catalog::ModelInfo> m_models;
    protocol::RenderRequest m_asked;  // by setRequest()
    std::vector<std::pair<QString, QCheckBox*>> m_backends;
    QPlainTextEdit* m_prompt;
    QPlainTextEdit* m_negative;
    PromptGuide m_guide;
    QPushButton* m_examples;
    QPushButton* m_words;
    WordsPopup* m_wordsPopup = nullptr;
    QLabel* m_unknownNote;
    QTimer* m_typingPause;
    QComboBox* m_model;
    QPushButton* m_folder;
    QGridLayout* m_backendBoxes;
    PolicyBox* m_policy;
    QLineEdit* m_seed;
    QSpinBox* m_steps;
    QDoubleSpinBox* m_guidance;
    QSpinBox* m_width;
    QSpinBox* m_height;
    QSpinBox* m_frames;
    QLabel* m_problem;
    QPushButton* m_render;
};

}  // namespace reelgrid::widgets

#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/protocol/render_request.h"
#include "widgets/panels/backend_boxes.h"
#include "widgets/panels/lora_fields.h"
#include "widgets/panels/picture_fields.h"
#include "widgets/panels/prompt_guide.h"

class QLabel;
class QPushButton;

namespace reelgrid::widgets {

class AdvancedFields;
class BackendOptionFields;
class ExpertFields;
class ModelBox;
class ModelFields;
class MotionFields;
class PolicyBox;
class PromptFields;
class RequestFields;
class SamplingFields;

/// Everything that defines a comparison: what to render, with which model, with which backends. Checks the
/// values as they are typed, with the words of the command line.
class RequestEditor : public QWidget {
    Q_OBJECT

  public:
    /// For renders on `machine`.
    explicit RequestEditor(machine::Machine machine, QWidget* parent = nullptr);

    /// It has other backends now; its devices are those that the editor was made with.
    void setMachine(machine::Machine machine);

    /// In this order; those to begin with are checked.
    void setBackends(const std::vector<BackendChoice>& backends);
    /// Keeps the chosen model if it is still among them, else chooses the built-in one.
    void setModels(std::vector<families::ModelInfo> models);
    /// And chooses it; sizes and the like become its defaults unless a request asked for this very model.
    void addModel(const families::ModelInfo& model);
    [[nodiscard]] bool knowsModel(const std::string& id) const;
    /// Those to choose from.
    [[nodiscard]] const std::vector<families::ModelInfo>& models() const;
    /// The chosen one; null while there is none.
    [[nodiscard]] const families::ModelInfo* model() const;
    /// Suggestions and words offered while the built-in model is chosen. Its first suggestion fills an empty
    /// prompt.
    void setPromptGuide(PromptGuide guide);

    /// As it stands: the request that was set, with what the fields show. attentionType and output are for
    /// the caller to fill in.
    [[nodiscard]] protocol::RenderRequest request() const;
    void setRequest(const protocol::RenderRequest& request);
    /// One that a person chose; part of request().
    void setPicture(PictureFields::Which which, const QString& path);
    /// The first one, of which a render of a model that takes pictures begins; false where the model takes
    /// none.
    bool takePicture(const QString& path);
    /// Asks again for those of the pictures on show.
    void askForThumbnails();
    /// The answer to thumbnailRequested().
    void setThumbnail(const QString& path, const QImage& image);
    /// One that a person chose; part of request().
    void addLora(LoraFields::Which which, const QString& file);
    /// The rules that come before the checked backends; part of request().
    void setAttentionPolicy(const protocol::AttentionPolicy& policy);
    [[nodiscard]] QStringList checkedBackends() const;
    void setCheckedBackends(const QStringList& names);
    /// Why it can't be rendered, in one line; empty when it can.
    [[nodiscard]] QString problem() const;
    /// What is said beside the button of what a render will take; an empty text takes no room.
    enum class Forecast { Plain, Warning };
    void setForecast(const QString& text, Forecast look, const QString& tip = {});
    [[nodiscard]] QString forecast() const;
    /// Puts the cursor into the prompt.
    void writePrompt();
    /// Asks for the render, if there is no problem.
    void submit();

  Q_SIGNALS:
    void renderRequested();
    /// A person changed a field, perhaps.
    void edited();
    /// The fields show something else because models, a guide or a request were set.
    void replaced();
    void modelFolderRequested();
    void policyFileRequested();
    void loraRequested(LoraFields::Which which);
    void pictureRequested(PictureFields::Which which);
    void thumbnailRequested(const QString& path);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    // A picture that is dropped anywhere here is the first one, where the model takes one.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void buildLayout();
    void leaveWheelToScrolling();
    void takeModelDefaults();
    /// Shows the defaults that the model has beside a sampler.
    void followScheduler(const std::optional<std::string>& scheduler);
    void check();
    void showSparse();
    void outlineFieldOf(const QString& problem);

    machine::Machine m_machine;
    std::optional<std::string> m_scheduler;  // whose defaults are shown
    protocol::RenderRequest m_asked;         // by setRequest(): what no field shows is kept
    PromptFields* m_prompt;
    ModelFields* m_furtherPrompts;
    MotionFields* m_motion;
    PictureFields* m_pictures;
    ModelBox* m_model;
    BackendBoxes* m_backends;
    BackendOptionFields* m_backendOptions;
    ModelFields* m_sparse;  ///< of attention that leaves keys out
    PolicyBox* m_policy;
    LoraFields* m_loras;
    SamplingFields* m_sampling;
    ExpertFields* m_expert;
    ModelFields* m_ofSomeModels;
    AdvancedFields* m_advanced;
    std::vector<RequestFields*> m_fields;  // those that show parts of the request
    QLabel* m_problem;
    QLabel* m_forecast;
    QPushButton* m_render;
};

}  // namespace reelgrid::widgets

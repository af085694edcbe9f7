#pragma once

#include "core/devices/gpu_survey.h"
#include "core/protocol/step_cache.h"
#include "widgets/panels/request_fields.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace reelgrid::widgets {

class ExecutionFields;
class ModelFields;
class OptionalRealEdit;
class RankFields;

/// What most renders leave to the model: scheduler, flow shift, frame rate, number formats, device, generator
/// of the noise; how often each is repeated; how it is computed, and by how many processes. Folded until
/// something in it is not the model's own.
class AdvancedFields : public RequestFields {
    Q_OBJECT

  public:
    explicit AdvancedFields(const devices::GpuSurvey& gpus, QWidget* parent = nullptr);

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;
    [[nodiscard]] QString problem() const override;
    /// The sampler that takes the place of the model's own; none: that one.
    [[nodiscard]] std::optional<std::string> scheduler() const;

  private:
    /// What the field says; none where it is empty.
    [[nodiscard]] Result<protocol::StepCache> stepCache() const;

    QPushButton* m_unfold;
    QWidget* m_content;
    QComboBox* m_scheduler;
    OptionalRealEdit* m_flowShift;
    OptionalRealEdit* m_fps;
    QLineEdit* m_stepCache;
    protocol::StepCache m_shownCache;  ///< as the request had it: its text leaves its curve out
    bool m_takesStepCache = true;
    QComboBox* m_dtype;
    QComboBox* m_device;
    QComboBox* m_vaeDtype;
    QComboBox* m_fp32Precision;
    QComboBox* m_generator;
    QSpinBox* m_repetitions;
    ModelFields* m_ofSomeModels;
    ExecutionFields* m_execution;
    RankFields* m_ranks;
};

}  // namespace reelgrid::widgets

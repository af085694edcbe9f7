#pragma once

#include "core/devices/gpu_survey.h"
#include "widgets/panels/request_fields.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace reelgrid::widgets {

/// How a render is computed: where its weights lie, whether the VAE works in tiles, what products run in, how
/// often steps are kept. Only what the model takes and the chosen device does is offered; what a session asks
/// for beyond that stays to be seen, and to be taken out.
class ExecutionFields : public RequestFields {
    Q_OBJECT

  public:
    explicit ExecutionFields(devices::GpuSurvey gpus, QWidget* parent = nullptr);

    /// As --device names it; empty: the automatic choice.
    void setDevice(const std::string& device);
    /// Whether anything is not as it usually is.
    [[nodiscard]] bool hasOwnChoice() const;

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;

  private:
    void showOffered();

    devices::GpuSurvey m_gpus;
    QComboBox* m_offload;
    QComboBox* m_tiling;
    QSpinBox* m_tilePixels;
    QSpinBox* m_saveEvery;
    QCheckBox* m_keepFrames;
    QCheckBox* m_fp8;
    QCheckBox* m_bf16Time;
    QCheckBox* m_graphs;
    QWidget* m_offloadRow;
    QWidget* m_tilingRow;
    bool m_takesOffload = true, m_takesTiling = true, m_takesFp8 = true, m_takesBf16Time = true;
    bool m_onGpu = false, m_multipliesFp8 = false;  ///< the chosen device
};

}  // namespace reelgrid::widgets

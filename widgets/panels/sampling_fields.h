#pragma once

#include "widgets/panels/request_fields.h"

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace reelgrid::widgets {

class RealBox;

/// Size, frames, seed, steps and guidance.
class SamplingFields : public RequestFields {
    Q_OBJECT

  public:
    explicit SamplingFields(QWidget* parent = nullptr);

    void takeDefaults(const families::ModelInfo& model) override;
    void changeDefaults(const families::RenderDefaults& before, const families::RenderDefaults& now) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;
    [[nodiscard]] QString problem() const override;

  private:
    QLineEdit* m_seed;
    QSpinBox* m_steps;
    RealBox* m_guidance;
    QCheckBox* m_dynamicGuidance;  ///< there for models that know it
    QSpinBox* m_width;
    QSpinBox* m_height;
    QSpinBox* m_frames;
    bool m_takesGuidance = true;
    bool m_takesDynamicGuidance = true;
    bool m_hasDefaults = false;
};

}  // namespace reelgrid::widgets

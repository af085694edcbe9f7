#pragma once

#include "widgets/panels/request_fields.h"

namespace reelgrid::widgets {

class RealBox;

/// What only models with two experts are asked for: the guidance of the low-noise one. Hidden for others.
class ExpertFields : public RequestFields {
    Q_OBJECT

  public:
    explicit ExpertFields(QWidget* parent = nullptr);

    void takeDefaults(const families::ModelInfo& model) override;
    void changeDefaults(const families::RenderDefaults& before, const families::RenderDefaults& now) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;

  private:
    RealBox* m_guidance;
    bool m_hasTwo = false;
};

}  // namespace reelgrid::widgets

#pragma once

#include <cstdint>

#include "widgets/panels/request_fields.h"

class QCheckBox;
class QLabel;
class QSpinBox;

namespace reelgrid::widgets {

/// How many processes of this machine render each clip together, and how they share it: Ulysses × ring ×
/// guidance. Shown for models that can be shared; what a session asks for stays to be seen elsewhere, too.
class RankFields : public RequestFields {
    Q_OBJECT

  public:
    explicit RankFields(QWidget* parent = nullptr);

    /// Whether there are several.
    [[nodiscard]] bool hasOwnChoice() const;

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;
    [[nodiscard]] QString problem() const override;

  private:
    [[nodiscard]] std::int64_t processes() const;
    void showCount();

    QSpinBox* m_ulysses;
    QSpinBox* m_ring;
    QCheckBox* m_guidance;
    QCheckBox* m_shards;
    QLabel* m_count;
    bool m_isShareable = true, m_takesShards = true;  ///< the model
};

}  // namespace reelgrid::widgets

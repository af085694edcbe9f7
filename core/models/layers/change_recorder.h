#pragma once

#include <functional>

#include "core/models/layers/added_cache.h"

namespace reelgrid::models {

/// From one step to the next, of passes that all ran whole.
struct PassChange {
    int step = 0;          ///< the later one
    double embedding = 0;  ///< relative L1 change of the timestep's embedding
    double added = 0;      ///< and of what the blocks added
    double magnitude = 0;  ///< mean over tokens of the ratio of its norms
};

/// Skips nothing and tells what TeaCache and MagCache have to know of a model.
class ChangeRecorder final : public AddedCache {
  public:
    explicit ChangeRecorder(std::function<void(const PassChange&)> told) : m_told(std::move(told)) {}

    void beginStep(int step) override { m_step = step; }
    [[nodiscard]] bool isClose(const at::Tensor& /*embedding*/) override { return false; }
    void keep(at::Tensor embedding, at::Tensor added_BNC) override;

  private:
    std::function<void(const PassChange&)> m_told;
    int m_step = 0;
};

}  // namespace reelgrid::models

#pragma once

// Shape legend: B batch, N tokens, C channels of the model.

#include <ATen/ATen.h>

#include <map>
#include <string>

namespace reelgrid::models {

/// First-block caching: a pass whose first block adds to the residual stream nearly what it added in the last
/// pass that ran whole is given what the other blocks added then, in the place of running them. One of these
/// for each expert and each of guidance's passes.
/// Source: ParaAttention's First Block Cache, as in diffusers 0.40, hooks/first_block_cache.py.
class FirstBlockCache {
  public:
    /// `threshold` > 0: the relative L1 change of what the first block adds above which all blocks run.
    explicit FirstBlockCache(double threshold) : m_threshold(threshold) {}

    /// Whether `first_BNC`, what the first block added in this pass, is close enough. Waits for the device.
    [[nodiscard]] bool isClose(const at::Tensor& first_BNC) const;
    /// A pass ran whole: what its first block added, and what the others did. Both are kept, not copied.
    void keep(at::Tensor first_BNC, at::Tensor others_BNC);
    /// What the other blocks added in that pass.
    [[nodiscard]] const at::Tensor& others() const { return m_others_BNC; }

    /// As tensors whose names begin with `prefix`, for a render that is taken up again; none before keep().
    void save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const;
    void restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from, at::Device device);

  private:
    double m_threshold;
    at::Tensor m_first_BNC, m_others_BNC;
};

}  // namespace reelgrid::models

#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <vector>

namespace reelgrid::models {

/// TaylorSeer: foretells a tensor of later steps by a Taylor series whose derivatives are differences between
/// the steps that were computed. Source: Liu et al. 2025 (arXiv 2503.06923); diffusers 0.40,
/// hooks/taylorseer_cache.py, whose lite mode takes the last layer's output as it is done here.
class TaylorSeries {
  public:
    explicit TaylorSeries(int order) : m_order(order) {}

    [[nodiscard]] bool isEmpty() const { return m_factors.empty(); }
    /// Whether TaylorSeer computes a step: the first three, counted from the first that was kept, since each
    /// of several networks has a series of its own, and every `interval`-th from the fifth on.
    [[nodiscard]] bool computes(int step, int interval) const;
    /// What a step came to that was computed; kept, not copied.
    void keep(int step, const at::Tensor& value);
    /// What it would come to in this step. After keep().
    [[nodiscard]] at::Tensor at(int step) const;

    /// BlockCache's of the same names.
    void save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const;
    void restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from, at::Device device);

  private:
    int m_order;
    int m_firstStep = 0, m_step = 0;    ///< that were kept first and last
    std::vector<at::Tensor> m_factors;  ///< the value and its derivatives there, as many as are known
};

}  // namespace reelgrid::models

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cpu {

/// A problem whose tokens lie in another order: copies of Q, K and V, and where the output goes meanwhile, in
/// memory of the calling thread, which has one of these at a time.
class OrderedTokens {
  public:
    /// Token n of the copies is token order[n]; there are as many queries as keys.
    OrderedTokens(const AttentionProblem& problem, const std::vector<std::int32_t>& order);

    ~OrderedTokens();
    OrderedTokens(const OrderedTokens&) = delete;
    OrderedTokens& operator=(const OrderedTokens&) = delete;

    [[nodiscard]] const AttentionProblem& problem() const { return m_ordered; }
    /// The output to where it belongs.
    void putBack() const;

  private:
    const AttentionProblem& m_p;
    const std::vector<std::int32_t>& m_order;
    AttentionProblem m_ordered;
    std::byte* m_out = nullptr;
};

}  // namespace reelgrid::kernels::cpu

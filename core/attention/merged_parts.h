#pragma once

// Shape legend: B batch, H heads, N query tokens, D head dim.

#include <ATen/ATen.h>

#include <memory>

namespace reelgrid::attention {

/// Attention over keys that came in parts, merged in fp32 and rounded once: out' = e^(lse - lse') out +
/// e^(part - lse') part.out with lse' = ln(e^lse + e^part) (Ring Attention, arXiv 2310.01889). Exact up to
/// fp32 rounding, in any order of the parts.
class MergedParts {
  public:
    virtual ~MergedParts() = default;

    /// For queries of that shape, dtype and device.
    static std::unique_ptr<MergedParts> of(const at::Tensor& q_BHND);

    /// Keeps both until the next part, or the end. lse_BHN fp32, contiguous.
    virtual void add(const at::Tensor& out_BHND, const at::Tensor& lse_BHN) = 0;
    /// After at least one part: in the queries' dtype; its transpose(1, 2) is contiguous.
    [[nodiscard]] virtual at::Tensor rounded() = 0;
};

}  // namespace reelgrid::attention

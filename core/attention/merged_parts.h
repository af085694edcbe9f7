#pragma once

// Shape legend: B batch, H heads, N query tokens, D head dim.

#include <ATen/ATen.h>

namespace reelgrid::attention {

/// Attention over keys that came in parts, kept in fp32 until the last one is in: out' = e^(lse - lse') out +
/// e^(part - lse') part.out with lse' = ln(e^lse + e^part) (Ring Attention, arXiv 2310.01889). Exact up to
/// fp32 rounding, in any order of the parts.
class MergedParts {
  public:
    /// For queries of that shape, dtype and device.
    explicit MergedParts(const at::Tensor& q_BHND);

    /// lse_BHN fp32, contiguous.
    void add(const at::Tensor& out_BHND, const at::Tensor& lse_BHN);
    /// In the queries' dtype; its transpose(1, 2) is contiguous.
    [[nodiscard]] at::Tensor rounded() const;

  private:
    at::ScalarType m_dtype;
    at::Tensor m_out_BNHD;  ///< fp32
    at::Tensor m_lse_BHN;
};

}  // namespace reelgrid::attention

#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim, R rows and C batch entries of the
// reference.

#include <ATen/ATen.h>

#include "core/benchmark/attention_input.h"

namespace reelgrid::benchmark {

/// Query rows of a head, and heads of the whole batch (but all of one batch entry), that are compared at
/// most: enough for stable figures, and what is long or has many small heads stays affordable in float64.
inline constexpr std::int64_t kReferenceRows = 64, kReferenceHeads = 512;

struct Accuracy {
    double cosine = 0;  ///< of all values as one vector
    double l1 = 0;      ///< Σ|out − truth| / Σ|truth|
    double rmse = 0;
    double mae = 0;       ///< mean |out − truth|
    double maxError = 0;  ///< largest |out − truth|
};

/// Attention in float64 on the values that q, k and v really have (rounded to their dtype already), for
/// rows spread evenly over the queries of a head, the first and the last among them, against all keys.
/// Computed where the tensors are, a head at a time.
class Float64Attention {
  public:
    /// At most `mostRows` of them.
    Float64Attention(const AttentionInput& input, kernels::Mask mask, std::int64_t mostRows = kReferenceRows);

    [[nodiscard]] Accuracy accuracyOf(const at::Tensor& out_BHND) const;
    /// The largest |truth|.
    [[nodiscard]] double largest() const { return m_truth_CHRD.abs().max().item<double>(); }
    [[nodiscard]] std::int64_t rows() const { return m_rows_R.size(0); }
    [[nodiscard]] std::int64_t batches() const { return m_batches_C.size(0); }

  private:
    at::Tensor m_rows_R, m_batches_C;  ///< int64
    at::Tensor m_truth_CHRD;
};

}  // namespace reelgrid::benchmark

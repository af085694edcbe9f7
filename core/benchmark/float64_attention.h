#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim, R rows of the reference.

#include <ATen/ATen.h>

#include "kernels/attention/problem.h"

namespace reelgrid::benchmark {

/// Query rows of a head that are compared at most: enough for stable figures, and long sequences stay
/// affordable in float64.
inline constexpr std::int64_t kReferenceRows = 64;

struct Accuracy {
    double cosine = 0;  ///< of all values as one vector
    double l1 = 0;      ///< Σ|out − truth| / Σ|truth|
    double rmse = 0;
};

/// Attention in float64 on the values that q, k and v really have (rounded to their dtype already), for
/// rows spread evenly over the queries, the first and the last among them, against all keys.
class Float64Attention {
  public:
    Float64Attention(const at::Tensor& q_BHND, const at::Tensor& k_BHMD, const at::Tensor& v_BHMD,
                     kernels::Mask mask);

    [[nodiscard]] Accuracy accuracyOf(const at::Tensor& out_BHND) const;
    [[nodiscard]] std::int64_t rows() const { return m_rows_R.size(0); }

  private:
    at::Tensor m_rows_R;  ///< int64
    at::Tensor m_truth_BHRD;
};

}  // namespace reelgrid::benchmark

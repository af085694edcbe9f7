#include "core/benchmark/float64_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reelgrid::benchmark {
namespace {

at::Tensor spreadRows(std::int64_t queries) {
    const std::int64_t count = std::min(queries, kReferenceRows);
    const at::Tensor rows_R = at::empty({count}, at::kLong);
    for (std::int64_t i = 0; i < count; ++i) rows_R[i] = count == 1 ? 0 : i * (queries - 1) / (count - 1);
    return rows_R;
}

/// One head. `hidden_RM` is undefined without a mask.
at::Tensor attend(const at::Tensor& q_RD, const at::Tensor& k_MD, const at::Tensor& v_MD,
                  const at::Tensor& hidden_RM) {
    at::Tensor scores_RM = at::mm(q_RD, k_MD.t()) / std::sqrt(static_cast<double>(q_RD.size(1)));
    if (!hidden_RM.defined()) return at::mm(at::softmax(scores_RM, -1), v_MD);
    scores_RM.masked_fill_(hidden_RM, -std::numeric_limits<double>::infinity());
    // Also takes the NaNs out of rows that see no key.
    return at::mm(at::softmax(scores_RM, -1).masked_fill(hidden_RM, 0), v_MD);
}

}  // namespace

Float64Attention::Float64Attention(const at::Tensor& q_BHND, const at::Tensor& k_BHMD,
                                   const at::Tensor& v_BHMD, kernels::Mask mask)
    : m_rows_R(spreadRows(q_BHND.size(2))) {
    const std::int64_t queries = q_BHND.size(2), keys = k_BHMD.size(2);
    at::Tensor hidden_RM;
    if (mask == kernels::Mask::Causal)
        hidden_RM = at::arange(keys, at::kLong).unsqueeze(0) > (m_rows_R + (keys - queries)).unsqueeze(1);
    m_truth_BHRD = at::empty({q_BHND.size(0), q_BHND.size(1), rows(), q_BHND.size(3)}, at::kDouble);
    for (std::int64_t b = 0; b < q_BHND.size(0); ++b)
        for (std::int64_t h = 0; h < q_BHND.size(1); ++h)
            m_truth_BHRD[b][h].copy_(attend(q_BHND[b][h].index_select(0, m_rows_R).to(at::kDouble),
                                            k_BHMD[b][h].to(at::kDouble), v_BHMD[b][h].to(at::kDouble),
                                            hidden_RM));
}

Accuracy Float64Attention::accuracyOf(const at::Tensor& out_BHND) const {
    const at::Tensor out_BHRD = out_BHND.index_select(2, m_rows_R).to(at::kDouble);
    const auto sum = [](const at::Tensor& x) { return x.sum().item<double>(); };
    const at::Tensor error_BHRD = out_BHRD - m_truth_BHRD;
    const double squares = sum(error_BHRD.square());
    return {.cosine =
                sum(out_BHRD * m_truth_BHRD) / std::sqrt(sum(out_BHRD.square()) * sum(m_truth_BHRD.square())),
            .l1 = sum(error_BHRD.abs()) / sum(m_truth_BHRD.abs()),
            .rmse = std::sqrt(squares / static_cast<double>(error_BHRD.numel()))};
}

}  // namespace reelgrid::benchmark

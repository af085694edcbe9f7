#include "core/benchmark/float64_attention.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/difference_sums.h"

namespace reelgrid::benchmark {
namespace {

/// At most `most` of `available` indices, the first and the last among them.
at::Tensor spread(std::int64_t available, std::int64_t most) {
    const std::int64_t count = std::min(available, most);
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < count; ++i)
        indices.push_back(count == 1 ? 0 : i * (available - 1) / (count - 1));
    return at::tensor(indices, at::kLong);
}

/// What is the same for every head.
struct Scores {
    double scale = 1;
    at::Tensor bias_1M;    ///< undefined without one
    at::Tensor hidden_RM;  ///< undefined without a mask
};

/// One head.
at::Tensor attend(const at::Tensor& q_RD, const at::Tensor& k_MD, const at::Tensor& v_MD,
                  const Scores& scores) {
    at::Tensor scores_RM = at::mm(q_RD, k_MD.t()).mul_(scores.scale);
    if (scores.bias_1M.defined()) scores_RM.add_(scores.bias_1M);
    if (!scores.hidden_RM.defined()) return at::mm(at::softmax(scores_RM, -1), v_MD);
    scores_RM.masked_fill_(scores.hidden_RM, -std::numeric_limits<double>::infinity());
    // Also takes the NaNs out of rows that see no key.
    return at::mm(at::softmax(scores_RM, -1).masked_fill(scores.hidden_RM, 0), v_MD);
}

}  // namespace

Float64Attention::Float64Attention(const AttentionInput& input, kernels::Mask mask, std::int64_t mostRows)
    : m_rows_R(spread(input.q_BHND.size(2), mostRows).to(input.q_BHND.device())),
      m_batches_C(
          spread(input.q_BHND.size(0), std::max<std::int64_t>(1, kReferenceHeads / input.q_BHND.size(1)))
              .to(input.q_BHND.device())) {
    const at::Tensor &q_BHND = input.q_BHND, &k_BHMD = input.k_BHMD, &v_BHMD = input.v_BHMD;
    const std::int64_t queries = q_BHND.size(2), keys = k_BHMD.size(2);
    const std::int64_t sharing = q_BHND.size(1) / k_BHMD.size(1);
    Scores scores;
    scores.scale = scaleOf(input);
    if (input.keyBias_M.defined()) scores.bias_1M = input.keyBias_M.to(at::kDouble).unsqueeze(0);
    if (mask == kernels::Mask::Causal)
        scores.hidden_RM =
            at::arange(keys, m_rows_R.options()).unsqueeze(0) > (m_rows_R + (keys - queries)).unsqueeze(1);
    m_truth_CHRD =
        at::empty({batches(), q_BHND.size(1), rows(), q_BHND.size(3)}, q_BHND.options().dtype(at::kDouble));
    for (std::int64_t c = 0; c < batches(); ++c) {
        const auto b = m_batches_C[c].item<std::int64_t>();
        for (std::int64_t h = 0; h < q_BHND.size(1); ++h)
            m_truth_CHRD[c][h].copy_(attend(q_BHND[b][h].index_select(0, m_rows_R).to(at::kDouble),
                                            k_BHMD[b][h / sharing].to(at::kDouble),
                                            v_BHMD[b][h / sharing].to(at::kDouble), scores));
    }
}

Accuracy Float64Attention::accuracyOf(const at::Tensor& out_BHND) const {
    const at::Tensor out_CHRD =
        out_BHND.index_select(0, m_batches_C).index_select(2, m_rows_R).to(at::kDouble);
    const auto sum = [](const at::Tensor& x) { return x.sum().item<double>(); };
    const at::Tensor error_CHRD = out_CHRD - m_truth_CHRD;
    const at::Tensor distance_CHRD = error_CHRD.abs();
    const DifferenceSums sums{.products = sum(out_CHRD * m_truth_CHRD),
                              .referenceSquares = sum(m_truth_CHRD.square()),
                              .otherSquares = sum(out_CHRD.square()),
                              .distance = sum(distance_CHRD),
                              .distanceSquares = sum(error_CHRD.square()),
                              .reference = sum(m_truth_CHRD.abs()),
                              .count = error_CHRD.numel()};
    return {.cosine = sums.cosine(),
            .l1 = sums.relativeL1(),
            .rmse = sums.rmse(),
            .mae = sums.distance / static_cast<double>(sums.count),
            .maxError = distance_CHRD.max().item<double>()};
}

}  // namespace reelgrid::benchmark

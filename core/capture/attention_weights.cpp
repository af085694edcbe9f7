#include "core/capture/attention_weights.h"

#include <cmath>
#include <limits>
#include <tuple>

namespace reelgrid::capture {

at::Tensor attentionWeights(const CapturedCall& call, const at::Tensor& q_ND, const at::Tensor& k_MD,
                            const at::Tensor& positions_N) {
    const double scale = call.scale.value_or(1 / std::sqrt(double(k_MD.size(1))));
    at::Tensor scores_NM = at::mm(q_ND, k_MD.t()) * scale;
    if (call.keyBias_M.defined()) scores_NM = scores_NM + call.keyBias_M.unsqueeze(0);
    if (call.mask == kernels::Mask::Causal) {
        const at::Tensor hidden_NM =
            at::arange(k_MD.size(0), at::kLong).unsqueeze(0) > positions_N.unsqueeze(1);
        scores_NM = scores_NM.masked_fill(hidden_NM, -std::numeric_limits<double>::infinity());
    }
    return at::softmax(scores_NM, 1);
}

Result<void> requireHead(const CapturedCall& call, std::int64_t batch, std::int64_t head) {
    for (const auto& [what, asked, count] :
         {std::tuple{"batch", batch, call.q_BHND.size(0)}, {"head", head, call.q_BHND.size(1)}})
        if (asked < 0 || asked >= count)
            return Error{ErrorCode::BadUsage, std::string("--") + what + " " + std::to_string(asked) +
                                                  ": a number from 0 to " + std::to_string(count - 1) +
                                                  " was needed"};
    return {};
}

}  // namespace reelgrid::capture

#include "core/attention/libtorch_attention.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/execution/kernel_arguments.h"

namespace reelgrid::attention {
namespace {

using kernels::LibtorchOperator;

constexpr double kNoDropout = 0.0;
constexpr bool kNotCausal = false;

bool sharesKeyHeads(const Inputs& in) {
    return in.q_BHND.size(1) != in.k_BHMD.size(1);
}

std::optional<at::Tensor> scoreBiasOf(const Inputs& in) {
    if (!in.keyBias_M.defined()) return std::nullopt;
    const at::Tensor bias_111M = in.keyBias_M.view({1, 1, 1, -1});
    // On a GPU a mask has the queries' type.
    return !in.q_BHND.is_cpu() ? bias_111M.to(in.q_BHND.scalar_type()) : bias_111M;
}

at::Tensor sdpa(const Inputs& in) {
    return at::scaled_dot_product_attention(in.q_BHND, in.k_BHMD, in.v_BHMD, scoreBiasOf(in), kNoDropout,
                                            kNotCausal,
                                            /*scale=*/std::nullopt, sharesKeyHeads(in));
}

Attended cudnn(const Inputs& in, LogSumExp logSumExp) {
    constexpr bool kNoDebugMask = false;
    const auto given = at::_scaled_dot_product_cudnn_attention(in.q_BHND, in.k_BHMD, in.v_BHMD, std::nullopt,
                                                               logSumExp == LogSumExp::Asked, kNoDropout,
                                                               kNotCausal, kNoDebugMask);
    return {std::get<0>(given), std::get<1>(given)};
}

Attended flash(const Inputs& in) {
    const auto given =
        at::_scaled_dot_product_flash_attention(in.q_BHND, in.k_BHMD, in.v_BHMD, kNoDropout, kNotCausal);
    return {std::get<0>(given), std::get<1>(given)};
}

/// What sdpa runs on the CPU unless key heads are shared.
Attended flashOnCpu(const Inputs& in) {
    auto [out_BHND, lse_BHN] = at::_scaled_dot_product_flash_attention_for_cpu(
        in.q_BHND, in.k_BHMD, in.v_BHMD, kNoDropout, kNotCausal, scoreBiasOf(in));
    return {std::move(out_BHND), std::move(lse_BHN)};
}

/// By its definition, so many queries at a time that their scores don't fill the memory.
at::Tensor logSumExpOf(const Inputs& in) {
    constexpr std::int64_t kMostScores = std::int64_t{1} << 26;
    const std::int64_t heads = in.q_BHND.size(0) * in.q_BHND.size(1), keys = in.k_BHMD.size(2);
    const std::int64_t each = std::max<std::int64_t>(1, kMostScores / (heads * keys));
    const auto type = in.q_BHND.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    const at::Tensor k_BHDM =
        in.k_BHMD.to(type).repeat_interleave(in.q_BHND.size(1) / in.k_BHMD.size(1), 1).transpose(-2, -1);
    std::vector<at::Tensor> parts;
    for (const at::Tensor& q_BHnD : in.q_BHND.split(each, 2)) {
        at::Tensor scores_BHnM =
            q_BHnD.to(type).matmul(k_BHDM).div_(std::sqrt(static_cast<double>(in.q_BHND.size(3))));
        if (in.keyBias_M.defined()) scores_BHnM.add_(in.keyBias_M);
        parts.push_back(scores_BHnM.logsumexp(-1));
    }
    return at::cat(parts, 2);
}

Attended choiceOfLibtorch(const Inputs& in, LogSumExp logSumExp) {
    if (logSumExp == LogSumExp::NotAsked) return {sdpa(in)};
    if (in.q_BHND.is_cpu() && !sharesKeyHeads(in)) return flashOnCpu(in);
    if (!whyNot(LibtorchOperator::Flash, in)) return flash(in);
    return {sdpa(in), logSumExpOf(in)};
}

}  // namespace

std::optional<std::string> whyNot(LibtorchOperator which, const Inputs& in) {
    if (which == LibtorchOperator::Choice) return std::nullopt;
    const bool isCudnn = which == LibtorchOperator::Cudnn;
    const std::string name = isCudnn ? "cudnn" : "flash";
    const std::int64_t mostHeadDim = isCudnn ? 128 : 256, headDim = in.q_BHND.size(3);
    if (!execution::hasCudaKernels(in.q_BHND)) return name + ": runs on an NVIDIA GPU only";
    if (in.q_BHND.scalar_type() != at::kBFloat16 && in.q_BHND.scalar_type() != at::kHalf)
        return name + ": dtype " + at::toString(in.q_BHND.scalar_type()) + ", bf16 or fp16 was needed";
    if (headDim % 8 != 0 || headDim > mostHeadDim)
        return name + ": head dim " + std::to_string(headDim) + ", a multiple of 8 up to " +
               std::to_string(mostHeadDim) + " was needed";
    if (in.q_BHND.size(1) != in.k_BHMD.size(1)) return name + ": takes no shared key heads";
    if (in.keyBias_M.defined()) return name + ": takes no key bias";
    return std::nullopt;
}

Attended attendWithLibtorch(LibtorchOperator which, const Inputs& in, LogSumExp logSumExp) {
    const Attended given = which == LibtorchOperator::Cudnn   ? cudnn(in, logSumExp)
                           : which == LibtorchOperator::Flash ? flash(in)
                                                              : choiceOfLibtorch(in, logSumExp);
    Attended attended{given.out_BHND.transpose(1, 2).contiguous().transpose(1, 2)};
    if (logSumExp == LogSumExp::Asked)
        attended.lse_BHN = given.lse_BHN.to(at::kFloat).reshape(in.q_BHND.sizes().slice(0, 3)).contiguous();
    return attended;
}

}  // namespace reelgrid::attention

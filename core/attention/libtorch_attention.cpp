#include "core/attention/libtorch_attention.h"

namespace reelgrid::attention {
namespace {

using kernels::LibtorchOperator;

constexpr double kNoDropout = 0.0;
constexpr bool kNotCausal = false;

at::Tensor sdpa(const Inputs& in) {
    const bool sharedKeyHeads = in.q_BHND.size(1) != in.k_BHMD.size(1);
    std::optional<at::Tensor> bias_111M;
    if (in.keyBias_M.defined()) {
        bias_111M = in.keyBias_M.view({1, 1, 1, -1});
        // On a GPU a mask has the queries' type.
        if (in.q_BHND.is_cuda()) bias_111M = bias_111M->to(in.q_BHND.scalar_type());
    }
    return at::scaled_dot_product_attention(in.q_BHND, in.k_BHMD, in.v_BHMD, bias_111M, kNoDropout,
                                            kNotCausal,
                                            /*scale=*/std::nullopt, sharedKeyHeads);
}

at::Tensor cudnn(const Inputs& in) {
    constexpr bool kNoLogSumExp = false, kNoDebugMask = false;
    return std::get<0>(at::_scaled_dot_product_cudnn_attention(
        in.q_BHND, in.k_BHMD, in.v_BHMD, std::nullopt, kNoLogSumExp, kNoDropout, kNotCausal, kNoDebugMask));
}

at::Tensor flash(const Inputs& in) {
    return std::get<0>(
        at::_scaled_dot_product_flash_attention(in.q_BHND, in.k_BHMD, in.v_BHMD, kNoDropout, kNotCausal));
}

}  // namespace

std::optional<std::string> whyNot(LibtorchOperator which, const Inputs& in) {
    if (which == LibtorchOperator::Choice) return std::nullopt;
    const bool isCudnn = which == LibtorchOperator::Cudnn;
    const std::string name = isCudnn ? "cudnn" : "flash";
    const std::int64_t mostHeadDim = isCudnn ? 128 : 256, headDim = in.q_BHND.size(3);
    if (!in.q_BHND.is_cuda()) return name + ": runs on an NVIDIA GPU only";
    if (in.q_BHND.scalar_type() != at::kBFloat16 && in.q_BHND.scalar_type() != at::kHalf)
        return name + ": dtype " + at::toString(in.q_BHND.scalar_type()) + ", bf16 or fp16 was needed";
    if (headDim % 8 != 0 || headDim > mostHeadDim)
        return name + ": head dim " + std::to_string(headDim) + ", a multiple of 8 up to " +
               std::to_string(mostHeadDim) + " was needed";
    if (in.q_BHND.size(1) != in.k_BHMD.size(1)) return name + ": takes no shared key heads";
    if (in.keyBias_M.defined()) return name + ": takes no key bias";
    return std::nullopt;
}

at::Tensor attendWithLibtorch(LibtorchOperator which, const Inputs& in) {
    const at::Tensor out_BHND = which == LibtorchOperator::Cudnn   ? cudnn(in)
                                : which == LibtorchOperator::Flash ? flash(in)
                                                                   : sdpa(in);
    return out_BHND.transpose(1, 2).contiguous().transpose(1, 2);
}

}  // namespace reelgrid::attention

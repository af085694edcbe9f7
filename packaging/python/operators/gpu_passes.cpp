// Passes over memory that only the CUDA kernels have: norms of pixels, and rows in e4m3.

#include <torch/library.h>

#include "packaging/python/operators/arguments.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

constexpr std::int64_t kMostPixelChannels = 1024;
constexpr std::int64_t kMostRowChannels = 16'384;

/// x of any dimensions, the last its channels.
void needsPixels(const Call& call, const at::Tensor& x, std::int64_t multiple, std::int64_t most) {
    call.needsTensor("x", x, kFloatTypes);
    TORCH_CHECK_VALUE(x.dim() >= 1 && x.numel() > 0, call.op(), ": x is ", sizesOf(x),
                      ", needs [..., channels] with no size 0");
    call.needsContiguous("x", x);
    call.needsAligned("x", x);
    call.needsMultiple("the channels of x", x.size(-1), multiple);
    call.needsAtMost("the channels of x", x.size(-1), most);
}

at::Tensor channelNorm(const at::Tensor& x, const at::Tensor& scale, bool silu) {
    const Call call("channel_norm", x);
    needsPixels(call, x, 8, kMostPixelChannels);
    const at::Tensor scale_C = call.optionalFloats("scale", scale, {x.size(-1)}, "channels");
    at::Tensor out = at::empty_like(x);
    call.cuda().channelNorm(
        {.pixels = x.numel() / x.size(-1),
         .channels = x.size(-1),
         .type = kernelTypeOf(x.scalar_type()),
         .x = x.const_data_ptr(),
         .scale = floatsOf(scale_C),
         .activation = silu ? kernels::cuda::Activation::Silu : kernels::cuda::Activation::None,
         .out = out.data_ptr()},
        call.stream());
    return out;
}

std::tuple<at::Tensor, at::Tensor> rowsToFp8(const at::Tensor& x, bool gelu) {
    const Call call("rows_to_fp8", x);
    needsPixels(call, x, 16, kMostRowChannels);
    at::Tensor out = at::empty(x.sizes(), x.options().dtype(at::kFloat8_e4m3fn));
    at::Tensor scales = at::empty(x.sizes().slice(0, x.sizes().size() - 1), x.options().dtype(at::kFloat));
    call.cuda().rowsToFp8(
        {.rows = x.numel() / x.size(-1),
         .channels = x.size(-1),
         .type = kernelTypeOf(x.scalar_type()),
         .x = x.const_data_ptr(),
         .activation = gelu ? kernels::cuda::Activation::GeluTanh : kernels::cuda::Activation::None,
         .out = out.data_ptr(),
         .scales = scales.data_ptr<float>()},
        call.stream());
    return {out, scales};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(reelgrid, m) {
    m.def("channel_norm(Tensor x, Tensor scale, *, bool silu=True) -> Tensor", {at::Tag::pt2_compliant_tag});
    m.def("rows_to_fp8(Tensor x, *, bool gelu=False) -> (Tensor, Tensor)", {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(reelgrid, CUDA, m) {
    m.impl("channel_norm", TORCH_FN(channelNorm));
    m.impl("rows_to_fp8", TORCH_FN(rowsToFp8));
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(m, {"channel_norm", "rows_to_fp8"});
}

}  // namespace reelgrid::operators

// Passes over memory, a pixel's or a token's channels together: norms and activations of autoencoders, and
// rows in e4m3.

#include <ATen/Parallel.h>
#include <torch/library.h>

#include <limits>

#include "kernels/cpu/vae/vae_conv.h"
#include "kernels/cpu/vae/vae_norm.h"
#include "packaging/python/operators/arguments.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

constexpr std::int64_t kMostPixelChannels = 1024;
constexpr std::int64_t kMostRowChannels = 16'384;
constexpr std::int64_t kMostRows = 65'535;

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

at::Tensor affineSilu(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift) {
    const Call call("affine_silu", x);
    constexpr const char* kCells = "cells down, cells across, channels";
    if (call.isCpu())
        call.needsTensor("x", x, {at::kFloat});
    else
        call.needsTensor("x", x, kFloatTypes);
    call.needsSizes("x", x, {-1, -1, -1}, "rows, columns, channels");
    call.needsContiguous("x", x);
    const std::int64_t rows = x.size(0), columns = x.size(1), channels = x.size(2);
    call.needsMultiple("the channels of x", channels, 8);
    const at::Tensor scales = call.optionalFloats("scale", scale, {-1, -1, channels}, kCells);
    const at::Tensor shifts = call.optionalFloats("shift", shift, scale.sizes(), kCells);
    TORCH_CHECK_VALUE(rows % scales.size(0) == 0 && columns % scales.size(1) == 0, call.op(), ": scale is ",
                      sizesOf(scale), ", needs numbers of cells that divide x's ", rows, " rows and ",
                      columns, " columns");
    const std::int64_t rowsOfCell = rows / scales.size(0), columnsOfCell = columns / scales.size(1);
    at::Tensor out = at::empty_like(x);
    if (call.isCpu()) {
        const int lanes = kernels::vaeConvLanes();
        TORCH_CHECK(lanes > 0, call.op(), ": the instruction set is scalar, needs AVX2 or more");
        for (const std::int64_t size : x.sizes())
            call.needsAtMost("a size of x", size, std::numeric_limits<int>::max());
        const kernels::VaeAffine affine{.lanes = lanes,
                                        .channels = int(channels),
                                        .columns = int(columns),
                                        .rowsOfCell = int(rowsOfCell),
                                        .columnsOfCell = int(columnsOfCell),
                                        .in = x.const_data_ptr<float>(),
                                        .scale = floatsOf(scales),
                                        .shift = floatsOf(shifts),
                                        .out = out.mutable_data_ptr<float>()};
        at::parallel_for(0, rows, 1, [&](std::int64_t first, std::int64_t last) {
            kernels::runVaeAffineSilu(affine, int(first), int(last));
        });
        return out;
    }
    call.needsAligned("x", x);
    call.needsAtMost("the rows of x", rows, kMostRows);
    call.needsAtMost("the channels of x", channels, kMostPixelChannels);
    call.needsAtMost("the columns of x times channels", columns * channels, std::numeric_limits<int>::max());
    call.cuda().affineSilu({.rows = rows,
                            .columns = columns,
                            .channels = channels,
                            .rowsOfCell = rowsOfCell,
                            .columnsOfCell = columnsOfCell,
                            .type = kernelTypeOf(x.scalar_type()),
                            .x = x.const_data_ptr(),
                            .scale = floatsOf(scales),
                            .shift = floatsOf(shifts),
                            .out = out.data_ptr()},
                           call.stream());
    return out;
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
    m.def("affine_silu(Tensor x, Tensor scale, Tensor shift) -> Tensor", {at::Tag::pt2_compliant_tag});
    m.def("channel_norm(Tensor x, Tensor scale, *, bool silu=True) -> Tensor", {at::Tag::pt2_compliant_tag});
    m.def("rows_to_fp8(Tensor x, *, bool gelu=False) -> (Tensor, Tensor)", {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(reelgrid, CPU, m) {
    m.impl("affine_silu", TORCH_FN(affineSilu));
}

TORCH_LIBRARY_IMPL(reelgrid, CUDA, m) {
    m.impl("affine_silu", TORCH_FN(affineSilu));
    m.impl("channel_norm", TORCH_FN(channelNorm));
    m.impl("rows_to_fp8", TORCH_FN(rowsToFp8));
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(m, {"affine_silu", "channel_norm", "rows_to_fp8"});
}

}  // namespace reelgrid::operators

// Convolutions of video models on the CPU, in fp32.
//
// Shape legend: B batch, C channels in, O channels out, T frames, H rows, W columns.

#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "kernels/cpu/vae/frame_conv.h"
#include "kernels/cpu/vae/vae_conv.h"
#include "packaging/python/operators/arguments.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
constexpr auto kPixels = at::MemoryFormat::ChannelsLast3d;
constexpr const char* kClip = "batch, channels, frames, rows, columns";

/// Threads take tasks as they get to them: a core that others use does fewer.
template <class Run>
void shareTasks(std::int64_t tasks, std::size_t scratchFloats, const Run& run) {
    const std::int64_t threads = std::min<std::int64_t>(at::get_num_threads(), tasks);
    std::atomic<std::int64_t> nextTask{0};
    at::parallel_for(0, threads, 1, [&](std::int64_t, std::int64_t) {
        const at::Tensor scratch = at::empty({std::int64_t(scratchFloats)}, at::kFloat);
        run(nextTask, scratch.mutable_data_ptr<float>());
    });
}

/// A clip and a weight that the kernels take, and where they write.
struct Convolution {
    Convolution(const Call& call, const at::Tensor& x, const at::Tensor& weight, at::IntArrayRef taps,
                const char* weightMeaning, const OptionalTensor& bias, const OptionalTensor& residual,
                std::int64_t upscale)
        : lanes(kernels::vaeConvLanes()) {
        TORCH_CHECK(lanes > 0, call.op(), ": the instruction set is scalar, needs AVX2 or more");
        call.needsTensor("x", x, {at::kFloat});
        call.needsSizes("x", x, {-1, -1, -1, -1, -1}, kClip);
        call.needsTensor("weight", weight, {at::kFloat});
        call.needsSizes("weight", weight, {-1, x.size(1), taps[0], taps[1], taps[2]}, weightMeaning);
        call.needsMultiple("the channels of x", x.size(1), 8);
        call.needsMultiple("the output channels of weight", weight.size(0), 8);
        for (const std::int64_t size : x.sizes())
            call.needsAtMost("a size of x", size, std::numeric_limits<int>::max() / upscale);
        call.needsAtMost("the output channels of weight", weight.size(0), std::numeric_limits<int>::max());
        x_BCTHW = x.contiguous(kPixels);
        bias_O = call.optionalFloats("bias", bias, {weight.size(0)}, "output channels");
        if (!bias_O.defined()) bias_O = at::zeros({weight.size(0)}, x.options());
        const std::vector<std::int64_t> sizes{x.size(0), weight.size(0), x.size(2), x.size(3) * upscale,
                                              x.size(4) * upscale};
        out_BOTHW = at::empty(sizes, x.options().memory_format(kPixels));
        if (!residual || !residual->defined()) return;
        call.needsTensor("residual", *residual, {at::kFloat});
        call.needsSizes("residual", *residual, sizes, kClip);
        residual_BOTHW = residual->contiguous(kPixels);
    }

    [[nodiscard]] std::int64_t batch() const { return x_BCTHW.size(0); }
    [[nodiscard]] const float* in(std::int64_t clip) const { return clipOf(x_BCTHW, clip); }
    [[nodiscard]] const float* residual(std::int64_t clip) const {
        return residual_BOTHW.defined() ? clipOf(residual_BOTHW, clip) : nullptr;
    }
    [[nodiscard]] float* out(std::int64_t clip) const {
        return out_BOTHW.mutable_data_ptr<float>() + clip * (out_BOTHW.numel() / batch());
    }

    int lanes;
    at::Tensor x_BCTHW, bias_O, residual_BOTHW, out_BOTHW;

  private:
    [[nodiscard]] const float* clipOf(const at::Tensor& x, std::int64_t clip) const {
        return x.const_data_ptr<float>() + clip * (x.numel() / batch());
    }
};

/// A value a channel, for all clips or for each.
at::Tensor channelValues(const Call& call, const char* name, const at::Tensor& x,
                         const OptionalTensor& value) {
    if (!value || !value->defined()) return {};
    if (value->dim() == 1)
        return call.optionalFloats(name, value, {x.size(1)}, "channels").expand({x.size(0), -1}).contiguous();
    return call.optionalFloats(name, value, {x.size(0), x.size(1)}, "batch, channels");
}

at::Tensor temporalConv(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias,
                        const OptionalTensor& residual, const OptionalTensor& scale,
                        const OptionalTensor& shift) {
    const Call call("temporal_conv", x);
    const Convolution conv(call, x, weight, {3, 1, 1}, "output channels, channels, 3, 1, 1", bias, residual,
                           1);
    const at::Tensor scale_BC = channelValues(call, "scale", x, scale);
    const at::Tensor shift_BC = channelValues(call, "shift", x, shift);
    TORCH_CHECK_VALUE(scale_BC.defined() == shift_BC.defined(), call.op(), ": ",
                      scale_BC.defined() ? "scale without shift" : "shift without scale",
                      ", needs both or neither");
    const int in = int(x.size(1)), out = int(weight.size(0));
    const at::Tensor packed =
        at::empty({std::int64_t(kernels::frameConvWeightFloats(in, out, conv.lanes))}, x.options());
    kernels::packFrameConvWeights(weight.contiguous().const_data_ptr<float>(), in, out, conv.lanes,
                                  packed.mutable_data_ptr<float>());
    for (std::int64_t clip = 0; clip < conv.batch(); ++clip) {
        const kernels::FrameConvCall frames{
            .lanes = conv.lanes,
            .inChannels = in,
            .outChannels = out,
            .frames = int(x.size(2)),
            .pixels = x.size(3) * x.size(4),
            .in = conv.in(clip),
            .scale = scale_BC.defined() ? scale_BC[clip].const_data_ptr<float>() : nullptr,
            .shift = shift_BC.defined() ? shift_BC[clip].const_data_ptr<float>() : nullptr,
            .weights = packed.const_data_ptr<float>(),
            .bias = conv.bias_O.const_data_ptr<float>(),
            .residual = conv.residual(clip),
            .out = conv.out(clip)};
        shareTasks(kernels::frameConvTasks(frames), kernels::frameConvScratchFloats(frames),
                   [&](auto& next, float* scratch) { kernels::runFrameConv(frames, next, scratch); });
    }
    return conv.out_BOTHW;
}

at::Tensor causalConv3d(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias,
                        const OptionalTensor& residual, const OptionalTensor& normScale, bool doubles) {
    const Call call("causal_conv3d", x);
    const std::int64_t taps = weight.dim() == 5 && weight.size(2) == 1 ? 1 : 3;
    const Convolution conv(call, x, weight, {taps, 3, 3}, "output channels, channels, 1 or 3, 3, 3", bias,
                           residual, doubles ? 2 : 1);
    const at::Tensor normScale_C = call.optionalFloats("norm_scale", normScale, {x.size(1)}, "channels");
    const int in = int(x.size(1)), out = int(weight.size(0));
    const at::Tensor packed =
        at::empty({std::int64_t(kernels::vaeConvWeightFloats(in, out, int(taps)))}, x.options());
    kernels::packVaeConvWeights(weight.contiguous().const_data_ptr<float>(), in, out, int(taps), conv.lanes,
                                packed.mutable_data_ptr<float>(), 0, out);
    const std::int64_t frames = x.size(2), frameFloats = x.size(1) * x.size(3) * x.size(4);
    std::vector<const float*> seen(std::size_t(frames + taps - 1), nullptr);
    for (std::int64_t clip = 0; clip < conv.batch(); ++clip) {
        for (std::int64_t frame = 0; frame < frames; ++frame)
            seen[std::size_t(taps - 1 + frame)] = conv.in(clip) + frame * frameFloats;
        const kernels::VaeConv call3d{
            .lanes = conv.lanes,
            .inChannels = in,
            .outChannels = out,
            .timeTaps = int(taps),
            .rows = int(conv.out_BOTHW.size(3)),
            .columns = int(conv.out_BOTHW.size(4)),
            .frames = int(frames),
            .input = doubles ? kernels::VaeConvInput::Doubled : kernels::VaeConvInput::Same,
            .inFrames = seen.data(),
            .normScale = floatsOf(normScale_C),
            .weights = packed.const_data_ptr<float>(),
            .bias = conv.bias_O.const_data_ptr<float>(),
            .residual = conv.residual(clip),
            .out = conv.out(clip)};
        shareTasks(kernels::vaeConvTasks(call3d), kernels::vaeConvScratchFloats(call3d),
                   [&](auto& next, float* scratch) { kernels::runVaeConv(call3d, next, scratch); });
    }
    return conv.out_BOTHW;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(reelgrid, m) {
    m.def(
        "temporal_conv(Tensor x, Tensor weight, Tensor? bias=None, *, Tensor? residual=None, Tensor? "
        "scale=None, Tensor? shift=None) -> Tensor",
        {at::Tag::pt2_compliant_tag});
    m.def(
        "causal_conv3d(Tensor x, Tensor weight, Tensor? bias=None, *, Tensor? residual=None, Tensor? "
        "norm_scale=None, bool doubled=False) -> Tensor",
        {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(reelgrid, CPU, m) {
    m.impl("temporal_conv", TORCH_FN(temporalConv));
    m.impl("causal_conv3d", TORCH_FN(causalConv3d));
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(m, {"temporal_conv", "causal_conv3d"});
}

}  // namespace reelgrid::operators

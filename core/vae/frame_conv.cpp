#include "core/vae/frame_conv.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>

#include "core/execution/linear_product.h"
#include "core/execution/trace_range.h"
#include "kernels/cpu/vae/frame_conv.h"
#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae {
namespace {

constexpr std::int64_t kFrameTaps = 3;
/// Channels of our own kernel come in multiples of it.
constexpr std::int64_t kFrameChannels = 8;

/// With a frame of zeros at both ends.
at::Tensor withFramesAround(const at::Tensor& x_THWC) {
    return at::constant_pad_nd(x_THWC, {0, 0, 0, 0, 0, 0, 1, 1});
}

at::Tensor rowsOf(const at::Tensor& x_THWC) {
    return x_THWC.view({-1, x_THWC.size(3)});
}

}  // namespace

FrameConv::FrameConv(const LayerSource& source, std::int64_t in, std::int64_t out, double factor)
    : m_bias_O(source.weights("bias", {out}) * factor) {
    const at::Tensor weight_OCT11 = source.weights("weight", {out, in, kFrameTaps, 1, 1}) * factor;
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(weight_OCT11)) {
        m_gpu.emplace(weight_OCT11.squeeze(-1), m_bias_O);
        return;
    }
    const at::Tensor weight_OCT = weight_OCT11.reshape({out, in, kFrameTaps}).contiguous();
    if (weight_OCT.scalar_type() != at::kFloat) {
        m_joined_OX = weight_OCT.transpose(1, 2).reshape({out, kFrameTaps * in}).contiguous();
        return;
    }
    if (source.engine == ConvEngine::Fastest && weight_OCT.is_cpu() && in % kFrameChannels == 0 &&
        out % kFrameChannels == 0 && kernels::vaeConvLanes() > 0) {
        m_lanes = kernels::vaeConvLanes();
        const std::size_t floats = kernels::frameConvWeightFloats(int(in), int(out), m_lanes);
        m_packed = at::empty({std::int64_t(floats)}, weight_OCT.options());
        kernels::packFrameConvWeights(weight_OCT.const_data_ptr<float>(), int(in), int(out), m_lanes,
                                      m_packed.mutable_data_ptr<float>());
        m_bias_O = m_bias_O.contiguous();
        return;
    }
    for (std::int64_t tap = 0; tap < kFrameTaps; ++tap)
        m_taps_CO.push_back(weight_OCT.select(2, tap).t().contiguous());
}

/// Each product adds to what the one before left.
at::Tensor FrameConv::sumOfTaps(const at::Tensor& x_THWC, at::Tensor sum_THWO) const {
    const std::int64_t frames = x_THWC.size(0);
    if (sum_THWO.defined()) {
        sum_THWO.add_(m_bias_O);
        rowsOf(sum_THWO).addmm_(rowsOf(x_THWC), m_taps_CO[1]);
    } else {
        const auto s = x_THWC.sizes();
        sum_THWO =
            at::addmm(m_bias_O, rowsOf(x_THWC), m_taps_CO[1]).view({s[0], s[1], s[2], m_bias_O.size(0)});
    }
    if (frames == 1) return sum_THWO;
    const auto add = [&](std::int64_t to, std::int64_t from, std::size_t tap) {
        rowsOf(sum_THWO.narrow(0, to, frames - 1))
            .addmm_(rowsOf(x_THWC.narrow(0, from, frames - 1)), m_taps_CO[tap]);
    };
    add(1, 0, 0);
    add(0, 1, 2);
    return sum_THWO;
}

at::Tensor FrameConv::fused(const at::Tensor& x_THWC, const std::optional<ChannelMap>& map,
                            const at::Tensor& bias_O, const at::Tensor& residual_THWO) const {
    const execution::TraceRange range([] { return "reelgrid::frame_conv"; }, {x_THWC},
                                      at::RecordScope::FUNCTION);
    const auto s = x_THWC.sizes();
    at::Tensor out_THWO = residual_THWO.defined()
                              ? residual_THWO
                              : at::empty({s[0], s[1], s[2], bias_O.size(0)}, x_THWC.options());
    const kernels::FrameConvCall call{
        .lanes = m_lanes,
        .inChannels = int(s[3]),
        .outChannels = int(bias_O.size(0)),
        .frames = int(s[0]),
        .pixels = s[1] * s[2],
        .in = x_THWC.const_data_ptr<float>(),
        .scale = map ? map->scale_C.const_data_ptr<float>() : nullptr,
        .shift = map ? map->shift_C.const_data_ptr<float>() : nullptr,
        .weights = m_packed.const_data_ptr<float>(),
        .bias = bias_O.const_data_ptr<float>(),
        .residual = residual_THWO.defined() ? residual_THWO.const_data_ptr<float>() : nullptr,
        .out = out_THWO.mutable_data_ptr<float>()};
    // Threads take tasks as they get to them: a core that others use does fewer.
    const std::int64_t threads = std::min<std::int64_t>(at::get_num_threads(), kernels::frameConvTasks(call));
    std::atomic<std::int64_t> nextTask{0};
    at::parallel_for(0, threads, 1, [&](std::int64_t, std::int64_t) {
        const at::Tensor scratch =
            at::empty({std::int64_t(kernels::frameConvScratchFloats(call))}, x_THWC.options());
        kernels::runFrameConv(call, nextTask, scratch.mutable_data_ptr<float>());
    });
    return out_THWO;
}

namespace {

/// A clip as one picture: a frame a row, its pixels the columns.
at::Tensor asRows(const at::Tensor& x_THWC) {
    return x_THWC.flatten(1, 2).unsqueeze(0);
}

constexpr GpuConv::Steps kFrameAtBothEnds{.rowPadding = 1};

}  // namespace

at::Tensor FrameConv::product(const at::Tensor& x_THWC) const {
    const auto s = x_THWC.sizes();
    return m_gpu->product(asRows(x_THWC), kFrameAtBothEnds).view({s[0], s[1], s[2], m_bias_O.size(0)});
}

at::Tensor FrameConv::onGpu(const at::Tensor& x_THWC, const at::Tensor& residual_THWO) const {
    const auto s = x_THWC.sizes();
    return m_gpu
        ->forward(asRows(x_THWC), kFrameAtBothEnds,
                  residual_THWO.defined() ? asRows(residual_THWO) : residual_THWO)
        .view({s[0], s[1], s[2], m_bias_O.size(0)});
}

at::Tensor FrameConv::forwardNormed(const GroupNorm& norm, const at::Tensor& x_THWC,
                                    const at::Tensor& added_1O, const at::Tensor& residual_THWO) const {
    // As one picture, the frames below one another.
    const at::Tensor tall_1HWC = x_THWC.flatten(0, 1).unsqueeze(0);
    if (m_lanes > 0 && x_THWC.is_contiguous()) {
        if (const auto map = norm.mapOf(tall_1HWC)) {
            const at::Tensor bias_O = added_1O.defined() ? m_bias_O + added_1O[0] : m_bias_O;
            return fused(x_THWC, map, bias_O, residual_THWO);
        }
    }
    at::Tensor y_THWO = forward(norm.forwardSilu(tall_1HWC).view_as(x_THWC), residual_THWO);
    return added_1O.defined() ? y_THWO.add_(added_1O) : y_THWO;
}

at::Tensor FrameConv::forward(const at::Tensor& x_THWC, const at::Tensor& residual_THWO) const {
    if (m_lanes > 0) return fused(x_THWC.contiguous(), std::nullopt, m_bias_O, residual_THWO);
    if (m_gpu) return onGpu(x_THWC, residual_THWO);
    if (!m_taps_CO.empty()) return sumOfTaps(x_THWC, residual_THWO);
    const std::int64_t frames = x_THWC.size(0);
    const at::Tensor around_THWC = withFramesAround(x_THWC);
    const at::Tensor seen_THWX =
        at::cat({around_THWC.narrow(0, 0, frames), x_THWC, around_THWC.narrow(0, 2, frames)}, 3);
    const at::Tensor y_THWO = execution::linear(seen_THWX, m_joined_OX, m_bias_O);
    return residual_THWO.defined() ? y_THWO.add_(residual_THWO) : y_THWO;
}

}  // namespace reelgrid::vae

#include "core/vae/winograd_conv.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>

#include "core/execution/trace_range.h"

namespace reelgrid::vae {

namespace {

constexpr std::int64_t kChannelStep = 8;

std::int64_t padded(std::int64_t channels) {
    return (channels + kChannelStep - 1) / kChannelStep * kChannelStep;
}

/// Zeros behind the last dimension up to a multiple of the kernel's step.
at::Tensor padChannels(const at::Tensor& x) {
    const std::int64_t channels = x.size(-1);
    return channels % kChannelStep == 0
               ? x.contiguous()
               : at::constant_pad_nd(x, {0, padded(channels) - channels}).contiguous();
}

}  // namespace

bool WinogradConv::takes(const at::Tensor& weight_OCTHW) {
    return kernels::vaeConvLanes() > 0 && weight_OCTHW.is_cpu() && weight_OCTHW.scalar_type() == at::kFloat;
}

WinogradConv::WinogradConv(const at::Tensor& weight_OCTHW, const at::Tensor& bias_O)
    : m_in(padded(weight_OCTHW.size(1))),
      m_out(weight_OCTHW.size(0)),
      m_taps(weight_OCTHW.size(2)),
      m_lanes(kernels::vaeConvLanes()) {
    const std::int64_t out = padded(m_out);
    const at::Tensor weight =
        at::constant_pad_nd(weight_OCTHW, {0, 0, 0, 0, 0, 0, 0, m_in - weight_OCTHW.size(1), 0, out - m_out})
            .contiguous();
    m_bias_O = padChannels(bias_O);
    const std::size_t floats = kernels::vaeConvWeightFloats(int(m_in), int(out), int(m_taps));
    m_packed = at::empty({std::int64_t(floats)}, weight.options());
    at::parallel_for(0, out / kChannelStep, 1, [&](std::int64_t first, std::int64_t last) {
        kernels::packVaeConvWeights(weight.const_data_ptr<float>(), int(m_in), int(out), int(m_taps), m_lanes,
                                    m_packed.mutable_data_ptr<float>(), int(first * kChannelStep),
                                    int(last * kChannelStep));
    });
}

at::Tensor WinogradConv::forward(const Call& call) const {
    const execution::TraceRange range([] { return "reelgrid::winograd_conv"; }, {call.x_THWC},
                                      at::RecordScope::FUNCTION);
    const at::Tensor x_THWC = padChannels(call.x_THWC);
    const std::int64_t frames = x_THWC.size(0), out = padded(m_out);
    const std::int64_t scale = call.input == kernels::VaeConvInput::Doubled ? 2 : 1;

    std::vector<const float*> inFrames(std::size_t(m_taps - 1), nullptr);
    at::Tensor history_NHWC;
    if (call.history_NHWC.defined() && call.history_NHWC.size(0) > 0) {
        history_NHWC = padChannels(call.history_NHWC);
        const std::int64_t known = history_NHWC.size(0);
        for (std::int64_t i = 0; i < known; ++i) {
            inFrames[std::size_t(m_taps - 1 - known + i)] = history_NHWC[i].const_data_ptr<float>();
        }
    }
    for (std::int64_t t = 0; t < frames; ++t) inFrames.push_back(x_THWC[t].const_data_ptr<float>());

    at::Tensor normScale_C;
    if (call.normScale_C.defined()) normScale_C = padChannels(call.normScale_C);
    const bool fuseResidual = call.residual_THWO.defined() && out == m_out;
    at::Tensor residual_THWO;
    if (fuseResidual) residual_THWO = call.residual_THWO.contiguous();
    at::Tensor out_THWO =
        fuseResidual
            ? residual_THWO
            : at::empty({frames, scale * x_THWC.size(1), scale * x_THWC.size(2), out}, x_THWC.options());

    kernels::VaeConv conv;
    conv.lanes = m_lanes;
    conv.inChannels = int(m_in);
    conv.outChannels = int(out);
    conv.timeTaps = int(m_taps);
    conv.rows = int(out_THWO.size(1));
    conv.columns = int(out_THWO.size(2));
    conv.frames = int(frames);
    conv.input = call.input;
    conv.inFrames = inFrames.data();
    conv.normScale = normScale_C.defined() ? normScale_C.const_data_ptr<float>() : nullptr;
    conv.weights = m_packed.const_data_ptr<float>();
    conv.bias = m_bias_O.const_data_ptr<float>();
    conv.residual = fuseResidual ? residual_THWO.const_data_ptr<float>() : nullptr;
    conv.out = out_THWO.mutable_data_ptr<float>();
    // Threads take tasks as they get to them: a core that others use does fewer.
    const std::int64_t threads = std::min<std::int64_t>(at::get_num_threads(), kernels::vaeConvTasks(conv));
    std::atomic<std::int64_t> nextTask{0};
    at::parallel_for(0, threads, 1, [&](std::int64_t, std::int64_t) {
        const at::Tensor scratch =
            at::empty({std::int64_t(kernels::vaeConvScratchFloats(conv))}, x_THWC.options());
        kernels::runVaeConv(conv, nextTask, scratch.mutable_data_ptr<float>());
    });

    if (out == m_out) return out_THWO;
    out_THWO = out_THWO.narrow(3, 0, m_out).contiguous();
    return call.residual_THWO.defined() ? out_THWO.add_(call.residual_THWO) : out_THWO;
}

}  // namespace reelgrid::vae

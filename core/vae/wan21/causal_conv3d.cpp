#include "core/vae/wan21/causal_conv3d.h"

#include <algorithm>

namespace reelgrid::vae::wan21 {

CausalConv3d::CausalConv3d(const LayerSource& source, std::int64_t in, std::int64_t out) {
    const at::Tensor weight_OCTHW = source.weights("weight", {out, in, 3, 3, 3});
    m_bias_O = source.weights("bias", {out});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(weight_OCTHW)) {
        m_gpu.emplace(weight_OCTHW, m_bias_O);
        return;
    }
    if (source.engine == ConvEngine::Fastest && WinogradConv::takes(weight_OCTHW)) {
        m_winograd.emplace(weight_OCTHW, m_bias_O);
        return;
    }
    m_weight_O3CHW = weight_OCTHW.permute({0, 2, 1, 3, 4})
                         .reshape({out, 3 * in, 3, 3})
                         .contiguous(at::MemoryFormat::ChannelsLast);
    m_lastTap_OCHW = weight_OCTHW.select(2, 2).contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor CausalConv3d::forward(const at::Tensor& x_THWC, FeatureCache& cache,
                                 const ConvFusion& fusion) const {
    at::Tensor& slot = cache.next();
    if (m_gpu) return forwardOnGpu(x_THWC, slot, fusion);
    if (!m_winograd) return forwardLibtorch(x_THWC, slot, fusion);
    // The activation is part of the convolution here, so the history is kept as it was before it.
    at::Tensor y_THWO =
        m_winograd->forward({.history_NHWC = slot,
                             .x_THWC = x_THWC,
                             .input = kernels::VaeConvInput::Same,
                             .normScale_C = fusion.normSilu ? fusion.normSilu->scale() : at::Tensor(),
                             .residual_THWO = fusion.residual_THWO});
    remember(slot, x_THWC);
    return y_THWO;
}

MemoryWalk::Pieces CausalConv3d::pieces(const Activations& x, Output output,
                                        const ChunkMemory& memory) const {
    constexpr std::int64_t kTaps = 3;
    const std::int64_t out = outChannels(), in = memory.bytesOf(x), made = memory.bytesOf(x.with(out));
    const std::int64_t withHistory = memory.bytesOf(x.ofFrames(x.frames + kHistoryFrames));
    switch (memory.path()) {
        case ConvPath::Winograd: {  // the activation within; the residual's memory becomes the output
            MemoryWalk::Pieces pieces{in, winogradScratchBytes(x.with(out), x.channels, kTaps)};
            if (x.channels != winogradChannels(x.channels))
                pieces.push_back(memory.bytesOf(x.with(winogradChannels(x.channels))));
            if (out != winogradChannels(out)) pieces.push_back(memory.bytesOf(x.with(winogradChannels(out))));
            if (output == Output::New) pieces.push_back(made);
            return pieces;
        }
        case ConvPath::Libtorch:  // an activated copy, and the three taps side by side
            return {in, in, kTaps * in, std::max(withHistory, made)};
        case ConvPath::Cudnn:
            break;
    }
    // With the deterministic algorithm that it takes, cuDNN 9 works in copies of input and output.
    return {in, withHistory, made, withHistory, made};
}

Activations CausalConv3d::forwardBytes(const Activations& x, ChunkMemory& memory) const {
    memory.note(pieces(x, Output::New, memory));
    memory.remember(x, kHistoryFrames);
    return x.with(outChannels());
}

/// The history and the chunk side by side in one buffer, the activation written where the convolution reads
/// it.
at::Tensor CausalConv3d::forwardOnGpu(const at::Tensor& x_THWC, at::Tensor& slot,
                                      const ConvFusion& fusion) const {
    const std::int64_t frames = x_THWC.size(0);
    auto shape = x_THWC.sizes().vec();
    shape[0] = kHistoryFrames + frames;
    const at::Tensor all_THWC = at::empty(shape, x_THWC.options());
    const at::Tensor now_THWC = all_THWC.narrow(0, kHistoryFrames, frames);
    if (fusion.normSilu)
        fusion.normSilu->forwardSiluInto(now_THWC, x_THWC);
    else
        now_THWC.copy_(x_THWC);
    const std::int64_t known = slot.defined() ? slot.size(0) : 0;
    if (known < kHistoryFrames) all_THWC.narrow(0, 0, kHistoryFrames - known).zero_();
    if (known > 0) all_THWC.narrow(0, kHistoryFrames - known, known).copy_(slot);
    remember(slot, now_THWC);
    return m_gpu->forward(all_THWC, {.padding = 1}, fusion.residual_THWO);
}

at::Tensor CausalConv3d::forwardLibtorch(const at::Tensor& x_THWC, at::Tensor& slot,
                                         const ConvFusion& fusion) const {
    const at::Tensor in_THWC = fusion.normSilu ? fusion.normSilu->forwardSilu(x_THWC) : x_THWC;
    const std::int64_t frames = in_THWC.size(0);
    at::Tensor taps = in_THWC;
    const bool loneFirst = !slot.defined() && frames == 1;
    if (!loneFirst) {
        const at::Tensor all = withHistory(slot, in_THWC);
        taps = at::cat({all.narrow(0, 0, frames), all.narrow(0, 1, frames), all.narrow(0, 2, frames)}, 3);
    }
    remember(slot, in_THWC);
    at::Tensor y_THWO =
        at::conv2d(taps.permute({0, 3, 1, 2}), loneFirst ? m_lastTap_OCHW : m_weight_O3CHW, m_bias_O, 1, 1)
            .permute({0, 2, 3, 1});
    return fusion.residual_THWO.defined() ? y_THWO.add_(fusion.residual_THWO) : y_THWO;
}

}  // namespace reelgrid::vae::wan21

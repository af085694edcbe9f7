#include "core/vae/wan21/resample.h"

namespace reelgrid::vae::wan21 {

namespace {

at::Tensor imageConvWeight(const LayerSource& source, std::int64_t in, std::int64_t out) {
    return source.weights("weight", {out, in, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

Upsample::Upsample(const LayerSource& source, std::int64_t in, std::int64_t out, ResampleAxes axes) {
    const LayerSource conv = source / "resample" / 1;
    m_weight_OCHW = imageConvWeight(conv, in, out);
    m_bias_O = conv.weights("bias", {out});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(m_weight_OCHW)) {
        m_gpu.emplace(m_weight_OCHW, m_bias_O);
    } else if (source.engine == ConvEngine::Fastest && WinogradConv::takes(m_weight_OCHW)) {
        m_winograd.emplace(m_weight_OCHW.unsqueeze(2), m_bias_O);
        m_weight_OCHW.reset();
    }
    if (axes == ResampleAxes::SpaceAndTime) m_timeConv.emplace(source / "time_conv", in, 2 * in);
}

at::Tensor Upsample::forward(const at::Tensor& x_THWC, FeatureCache& cache) const {
    return doubleSize(m_timeConv ? doubleFrames(x_THWC, cache.next()) : x_THWC);
}

at::Tensor Upsample::doubleFrames(const at::Tensor& x_THWC, at::Tensor& slot) const {
    auto shape = x_THWC.sizes().vec();
    if (!slot.defined()) {
        // The clip's first frame stays one frame, and the frames after it never see it: an empty history.
        if (shape[0] != 1) throw Failure(ErrorCode::Internal, "the first chunk must be one frame");
        shape[0] = 0;
        slot = at::empty(shape, x_THWC.options());
        return x_THWC;
    }
    const at::Tensor frames_THWC = withHistory(slot, x_THWC);
    remember(slot, x_THWC);
    const std::int64_t frames = shape[0], channels = shape[3];
    shape[0] = 2 * frames;
    if (x_THWC.is_cuda()) {
        const at::Tensor both_THW2C =
            m_timeConv->forward(frames_THWC).view({frames, shape[1], shape[2], 2, channels});
        return both_THW2C.permute({0, 3, 1, 2, 4}).reshape(shape);
    }
    at::Tensor out = at::empty({frames, 2, shape[1], shape[2], channels}, x_THWC.options());
    for (std::int64_t half = 0; half < 2; ++half) {
        m_timeConv->forwardInto(out.select(1, half), frames_THWC, 1, half * channels);
    }
    return out.view(shape);
}

at::Tensor Upsample::doubleSize(const at::Tensor& x_THWC) const {
    if (m_winograd) {
        return m_winograd->forward({.history_NHWC = {},
                                    .x_THWC = x_THWC,
                                    .input = kernels::VaeConvInput::Doubled,
                                    .normScale_C = {},
                                    .residual_THWO = {}});
    }
    const at::Tensor big_TCHW = at::upsample_nearest2d(
        x_THWC.permute({0, 3, 1, 2}), at::IntArrayRef{2 * x_THWC.size(1), 2 * x_THWC.size(2)});
    if (m_gpu) return m_gpu->forward(big_TCHW.permute({0, 2, 3, 1}).contiguous(), {.padding = 1});
    return at::conv2d(big_TCHW, m_weight_OCHW, m_bias_O, 1, 1).permute({0, 2, 3, 1});
}

Activations Upsample::outputOf(const Activations& x, const ChunkMemory& memory) const {
    return {doublesFrames(memory) ? 2 * x.frames : x.frames, 2 * x.rows, 2 * x.columns, m_bias_O.size(0)};
}

Activations Upsample::forwardBytes(const Activations& x, ChunkMemory& memory) const {
    const Activations big = outputOf(x, memory), longer = x.ofFrames(big.frames);
    const std::int64_t input = memory.bytesOf(x);
    MemoryWalk::Pieces pieces{input, memory.bytesOf(big)};
    if (doublesFrames(memory)) {
        MemoryWalk::Pieces inTime{input, memory.bytesOf(x.ofFrames(x.frames + kHistoryFrames)),
                                  memory.bytesOf(longer)};
        if (memory.path() == ConvPath::Cudnn) inTime.push_back(memory.bytesOf(longer));
        memory.note(inTime);
        memory.remember(x, kHistoryFrames);
        pieces.push_back(memory.bytesOf(longer));
    }
    pieces.push_back(memory.path() == ConvPath::Winograd ? winogradScratchBytes(big, x.channels, 1)
                                                         : memory.bytesOf(big.with(x.channels)));
    memory.note(pieces);
    memory.endSize(big);
    return big;
}

Downsample::Downsample(const LayerSource& source, std::int64_t channels, ResampleAxes axes) {
    const LayerSource conv = source / "resample" / 1;
    m_weight_OCHW = imageConvWeight(conv, channels, channels);
    m_bias_O = conv.weights("bias", {channels});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(m_weight_OCHW))
        m_gpu.emplace(m_weight_OCHW, m_bias_O);
    if (axes == ResampleAxes::SpaceAndTime) m_timeConv.emplace(source / "time_conv", channels, channels);
}

at::Tensor Downsample::forward(const at::Tensor& x_THWC, FeatureCache& cache) const {
    const at::Tensor padded_THWC = at::constant_pad_nd(x_THWC, {0, 0, 0, 1, 0, 1});
    const at::Tensor y_THWC = m_gpu
                                  ? m_gpu->forward(padded_THWC, {.stride = 2})
                                  : at::conv2d(padded_THWC.permute({0, 3, 1, 2}), m_weight_OCHW, m_bias_O, 2)
                                        .permute({0, 2, 3, 1})
                                        .contiguous();
    return m_timeConv ? halveFrames(y_THWC, cache.next()) : y_THWC;
}

at::Tensor Downsample::halveFrames(const at::Tensor& x_THWC, at::Tensor& slot) const {
    const std::int64_t frames = x_THWC.size(0);
    if (!slot.defined()) {
        if (frames != 1) throw Failure(ErrorCode::Internal, "the first chunk must be one frame");
        slot = x_THWC.clone();
        return x_THWC;
    }
    const at::Tensor frames_THWC = at::cat({slot, x_THWC}, 0);
    slot = x_THWC.narrow(0, frames - 1, 1).clone();
    return m_timeConv->forward(frames_THWC, 2);
}

Activations Downsample::forwardBytes(const Activations& x, ChunkMemory& memory) const {
    const Activations small{x.frames, x.rows / 2, x.columns / 2, x.channels};
    const std::int64_t bytes = memory.bytesOf(small);
    memory.note({memory.bytesOf(x), memory.bytesOf(x), bytes});
    if (!m_timeConv) return small;
    memory.remember(small, 1);
    if (memory.isOneFrame()) return small;
    const Activations shorter = small.ofFrames(small.frames / 2);
    memory.note({bytes, bytes, memory.bytesOf(shorter)});
    return shorter;
}

}  // namespace reelgrid::vae::wan21

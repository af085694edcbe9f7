#include "core/vae/cogvideox/resample.h"

#include <algorithm>

#include "core/vae/cogvideox/slices.h"

namespace reelgrid::vae::cogvideox {

namespace {

at::Tensor imageConvWeight(const LayerSource& conv, std::int64_t channels) {
    return conv.weights("weight", {channels, channels, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast);
}

/// Of an odd number of frames the first stays by itself.
std::int64_t loneFrames(const at::Tensor& x_THWC) {
    return x_THWC.size(0) % 2;
}

at::Tensor doubleFrames(const at::Tensor& x_THWC) {
    const std::int64_t frames = x_THWC.size(0), lone = loneFrames(x_THWC);
    if (frames == 1) return x_THWC;
    auto shape = x_THWC.sizes().vec();
    shape[0] = lone + 2 * (frames - lone);
    const at::Tensor out_THWC = at::empty(shape, x_THWC.options());
    if (lone > 0) out_THWC[0].copy_(x_THWC[0]);
    shape[0] = frames - lone;
    shape.insert(shape.begin() + 1, 2);
    out_THWC.narrow(0, lone, 2 * (frames - lone))
        .view(shape)
        .copy_(x_THWC.narrow(0, lone, frames - lone).unsqueeze(1).expand(shape));
    return out_THWC;
}

at::Tensor halveFrames(const at::Tensor& x_THWC) {
    const std::int64_t frames = x_THWC.size(0), lone = loneFrames(x_THWC);
    if (frames == 1) return x_THWC;
    auto pairs = x_THWC.sizes().vec();
    pairs[0] = (frames - lone) / 2;
    pairs.insert(pairs.begin() + 1, 2);
    const at::Tensor means = x_THWC.narrow(0, lone, frames - lone).view(pairs).mean(1);
    return lone > 0 ? at::cat({x_THWC.narrow(0, 0, 1), means}, 0) : means;
}

at::Tensor doubledPixels(const at::Tensor& x_THWC) {
    return at::upsample_nearest2d(x_THWC.permute({0, 3, 1, 2}),
                                  at::IntArrayRef{2 * x_THWC.size(1), 2 * x_THWC.size(2)});
}

}  // namespace

Upsample::Upsample(const LayerSource& source, std::int64_t channels, ResampleAxes axes) : m_axes(axes) {
    const LayerSource conv = source / "conv";
    m_weight_OCHW = imageConvWeight(conv, channels);
    m_bias_O = conv.weights("bias", {channels});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(m_weight_OCHW)) {
        m_gpu.emplace(m_weight_OCHW, m_bias_O);
    } else if (source.engine == ConvEngine::Fastest && WinogradConv::takes(m_weight_OCHW)) {
        m_winograd.emplace(m_weight_OCHW.unsqueeze(2), m_bias_O);
        m_weight_OCHW.reset();
    }
}

at::Tensor Upsample::forward(const at::Tensor& x_THWC) const {
    const at::Tensor y_THWC = doubleSize(x_THWC);
    return m_axes == ResampleAxes::SpaceAndTime ? doubleFrames(y_THWC) : y_THWC;
}

at::Tensor Upsample::doubleSize(const at::Tensor& x_THWC) const {
    if (m_winograd) {
        return m_winograd->forward({.history_NHWC = {},
                                    .x_THWC = x_THWC,
                                    .input = kernels::VaeConvInput::Doubled,
                                    .normScale_C = {},
                                    .residual_THWO = {}});
    }
    if (!m_gpu)
        return at::conv2d(doubledPixels(x_THWC), m_weight_OCHW, m_bias_O, 1, 1)
            .permute({0, 2, 3, 1})
            .contiguous();
    const std::int64_t frames = x_THWC.size(0);
    const std::int64_t doubledBytes = 4 * x_THWC[0].numel() * x_THWC.element_size();
    const std::int64_t most = framesOfSlice(doubledBytes, frames, x_THWC.device());
    const at::Tensor out_THWC =
        at::empty({frames, 2 * x_THWC.size(1), 2 * x_THWC.size(2), x_THWC.size(3)}, x_THWC.options());
    for (std::int64_t first = 0; first < frames; first += most) {
        const std::int64_t count = std::min(most, frames - first);
        const at::Tensor big_TCHW = doubledPixels(x_THWC.narrow(0, first, count));
        out_THWC.narrow(0, first, count)
            .copy_(m_gpu->forward(big_TCHW.permute({0, 2, 3, 1}).contiguous(), {.padding = 1}));
    }
    return out_THWC;
}

Activations Upsample::forwardBytes(const Activations& x, BatchMemory& memory) const {
    Activations big{x.frames, 2 * x.rows, 2 * x.columns, x.channels};
    const std::int64_t input = memory.bytesOf(x), bigBytes = memory.bytesOf(big),
                       frame = memory.bytesOf(big.ofFrames(1));
    switch (memory.path()) {
        case ConvPath::Winograd:
            memory.note({input, bigBytes, winogradScratchBytes(big, x.channels, 1)});
            break;
        case ConvPath::Libtorch:
            memory.note({input, bigBytes, bigBytes});
            break;
        case ConvPath::Cudnn:
            memory.note({input, bigBytes, 2 * framesOfSlice(frame, x.frames, memory.device()) * frame});
            break;
    }
    if (m_axes == ResampleAxes::SpaceAndTime) {
        const std::int64_t lone = x.frames % 2;
        big = big.ofFrames(x.frames == 1 ? 1 : lone + 2 * (x.frames - lone));
        memory.note({input, bigBytes, memory.bytesOf(big)});
    }
    memory.endSize(big);
    return big;
}

Downsample::Downsample(const LayerSource& source, std::int64_t channels, ResampleAxes axes) : m_axes(axes) {
    const LayerSource conv = source / "conv";
    m_weight_OCHW = imageConvWeight(conv, channels);
    m_bias_O = conv.weights("bias", {channels});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(m_weight_OCHW))
        m_gpu.emplace(m_weight_OCHW, m_bias_O);
}

at::Tensor Downsample::forward(const at::Tensor& x_THWC) const {
    const at::Tensor fewer_THWC = m_axes == ResampleAxes::SpaceAndTime ? halveFrames(x_THWC) : x_THWC;
    const at::Tensor padded_THWC = at::constant_pad_nd(fewer_THWC, {0, 0, 0, 1, 0, 1});
    if (m_gpu) return m_gpu->forward(padded_THWC, {.stride = 2});
    return at::conv2d(padded_THWC.permute({0, 3, 1, 2}), m_weight_OCHW, m_bias_O, 2)
        .permute({0, 2, 3, 1})
        .contiguous();
}

Activations Downsample::forwardBytes(const Activations& x, BatchMemory& memory) const {
    const bool inTime = m_axes == ResampleAxes::SpaceAndTime && x.frames > 1;
    const Activations fewer = inTime ? x.ofFrames(x.frames / 2 + x.frames % 2) : x;
    const Activations small{fewer.frames, x.rows / 2, x.columns / 2, x.channels};
    const std::int64_t means = memory.bytesOf(fewer);
    // The means, and with the first frame before them; zeros around; what comes out.
    memory.note({memory.bytesOf(x), inTime ? 2 * means : 0, means, memory.bytesOf(small)});
    memory.endSize(small);
    return small;
}

}  // namespace reelgrid::vae::cogvideox

#include "core/vae/cogvideox/causal_conv3d.h"

#include <algorithm>

#include "core/vae/cogvideox/slices.h"

namespace reelgrid::vae::cogvideox {

namespace {

/// The two frames before x_THWC.
at::Tensor historyOf(const at::Tensor& slot, const at::Tensor& x_THWC) {
    return slot.defined() ? slot : x_THWC.narrow(0, 0, 1).expand({kHistoryFrames, -1, -1, -1}).contiguous();
}

/// Keeps the last two of the frames seen so far: those of `history_2HWC` followed by x_THWC.
void remember(at::Tensor& slot, const at::Tensor& history_2HWC, const at::Tensor& x_THWC) {
    const std::int64_t frames = x_THWC.size(0);
    if (frames < kHistoryFrames) {
        slot = at::cat({history_2HWC.narrow(0, frames, kHistoryFrames - frames), x_THWC}, 0);
        return;
    }
    const at::Tensor last = x_THWC.narrow(0, frames - kHistoryFrames, kHistoryFrames);
    // The buffer is reused: fresh pages would cost more than the copy.
    if (slot.defined())
        slot.copy_(last);
    else
        slot = last.clone(at::MemoryFormat::Contiguous);
}

constexpr std::int64_t kTimeTaps = 3;

MemoryWalk::Pieces with(MemoryWalk::Pieces pieces, const MemoryWalk::Pieces& more) {
    pieces.insert(pieces.end(), more.begin(), more.end());
    return pieces;
}

at::Tensor activated(const at::Tensor& x_THWC, const ConvFusion& fusion) {
    if (!fusion.normSilu) return x_THWC;
    if (fusion.input == InputAfterwards::Kept) return fusion.normSilu->forwardSilu(x_THWC);
    fusion.normSilu->forwardSiluInto(x_THWC, x_THWC, 0);
    return x_THWC;
}

}  // namespace

CausalConv3d::CausalConv3d(const LayerSource& source, std::int64_t in, std::int64_t out) {
    const LayerSource conv = source / "conv";
    const at::Tensor weight_OCTHW = conv.weights("weight", {out, in, 3, 3, 3});
    m_bias_O = conv.weights("bias", {out});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(weight_OCTHW))
        m_gpu.emplace(weight_OCTHW, m_bias_O);
    else if (source.engine == ConvEngine::Fastest && WinogradConv::takes(weight_OCTHW))
        m_winograd.emplace(weight_OCTHW, m_bias_O);
    else
        m_weight_OCTHW = weight_OCTHW.contiguous(at::MemoryFormat::ChannelsLast3d);
}

at::Tensor CausalConv3d::forward(const at::Tensor& x_THWC, ConvCache& cache, const ConvFusion& fusion) const {
    at::Tensor& slot = cache.next();
    if (!m_winograd) return forwardInSlices(x_THWC, slot, fusion);
    const at::Tensor in_THWC = activated(x_THWC, fusion);
    const at::Tensor history_2HWC = historyOf(slot, in_THWC);
    at::Tensor y_THWO = m_winograd->forward({.history_NHWC = history_2HWC,
                                             .x_THWC = in_THWC,
                                             .input = kernels::VaeConvInput::Same,
                                             .normScale_C = {},
                                             .residual_THWO = fusion.residual_THWO});
    remember(slot, history_2HWC, in_THWC);
    return y_THWO;
}

at::Tensor CausalConv3d::convolved(const at::Tensor& all_THWC, const at::Tensor& residual_THWO) const {
    if (m_gpu) return m_gpu->forward(all_THWC, {.padding = 1}, residual_THWO);
    // A batch before the axes change: only so does libtorch see that channels are last, and copies nothing.
    at::Tensor y_THWO = at::conv3d(all_THWC.unsqueeze(0).permute({0, 4, 1, 2, 3}), m_weight_OCTHW, m_bias_O,
                                   1, at::IntArrayRef{0, 1, 1})
                            .permute({0, 2, 3, 4, 1})
                            .squeeze(0)
                            .contiguous();
    return residual_THWO.defined() ? y_THWO.add_(residual_THWO) : y_THWO;
}

/// Where a convolution's output can go, but for memory of its own: undefined.
at::Tensor CausalConv3d::takenFor(at::IntArrayRef shape, const at::Tensor& x_THWC, const ConvFusion& fusion) {
    if (fusion.residual_THWO.defined()) return fusion.residual_THWO;
    // Frame t of the output ends no later than frame t of the input, which was read by then.
    const std::int64_t values = c10::multiply_integers(shape);
    if (fusion.input == InputAfterwards::Kept || !fitsIntoInput(values, x_THWC.numel())) return {};
    return x_THWC.view(-1).narrow(0, 0, values).view(shape);
}

/// Some frames at a time, with their history in front of them in one buffer, the activation written where the
/// convolution reads it.
at::Tensor CausalConv3d::forwardInSlices(const at::Tensor& x_THWC, at::Tensor& slot,
                                         const ConvFusion& fusion) const {
    const std::int64_t frames = x_THWC.size(0);
    const std::int64_t frameBytes = x_THWC[0].numel() * x_THWC.element_size();
    const std::int64_t most = framesOfSlice(frameBytes, frames, x_THWC.device());
    auto shape = x_THWC.sizes().vec();
    shape[0] = kHistoryFrames + most;
    const at::Tensor buffer_THWC = at::empty(shape, x_THWC.options());
    const at::Tensor history_2HWC = buffer_THWC.narrow(0, 0, kHistoryFrames);
    const bool isAtBegin = !slot.defined();
    if (!isAtBegin) history_2HWC.copy_(slot);
    if (m_gpu)
        slot.reset();  // whose memory others get until the end; on the CPU fresh pages cost more than it
    at::Tensor out_THWO;
    for (std::int64_t first = 0; first < frames; first += most) {
        const std::int64_t count = std::min(most, frames - first);
        const at::Tensor now_THWC = buffer_THWC.narrow(0, kHistoryFrames, count);
        if (fusion.normSilu)
            fusion.normSilu->forwardSiluInto(now_THWC, x_THWC, first);
        else
            now_THWC.copy_(x_THWC.narrow(0, first, count));
        if (first == 0 && isAtBegin) history_2HWC.copy_(now_THWC.narrow(0, 0, 1).expand_as(history_2HWC));
        const at::Tensor residual =
            fusion.residual_THWO.defined() ? fusion.residual_THWO.narrow(0, first, count) : at::Tensor();
        const at::Tensor y_THWO = convolved(buffer_THWC.narrow(0, 0, kHistoryFrames + count), residual);
        // One by one: a frame may go where the one after it still was.
        for (std::int64_t i = 0; i < kHistoryFrames; ++i) buffer_THWC[i].copy_(buffer_THWC[i + count]);
        if (count == frames) {
            out_THWO = y_THWO;
            break;
        }
        if (!out_THWO.defined()) {
            shape = y_THWO.sizes().vec();
            shape[0] = frames;
            out_THWO = takenFor(shape, x_THWC, fusion);
            if (!out_THWO.defined()) out_THWO = at::empty(shape, y_THWO.options());
        }
        out_THWO.narrow(0, first, count).copy_(y_THWO);
    }
    if (slot.defined())
        slot.copy_(history_2HWC);
    else
        slot = history_2HWC.clone(at::MemoryFormat::Contiguous);
    return out_THWO;
}

std::int64_t CausalConv3d::forwardBytes(const Call& call, BatchMemory& memory) const {
    return memory.path() == ConvPath::Winograd ? winogradBytes(call, memory) : sliceBytes(call, memory);
}

Activations CausalConv3d::forwardBytes(const Activations& x, BatchMemory& memory) const {
    forwardBytes({.x = x, .xBytes = memory.bytesOf(x)}, memory);
    return x.with(outChannels());
}

std::int64_t CausalConv3d::winogradBytes(const Call& call, BatchMemory& memory) const {
    const Activations& x = call.x;
    const std::int64_t out = outChannels(), in = winogradChannels(x.channels), wide = winogradChannels(out),
                       slot = memory.bytesOf(x.ofFrames(kHistoryFrames));
    MemoryWalk::Pieces pieces = with(call.beside, {call.xBytes});
    if (call.isNormed && !call.isConsumed) pieces.push_back(memory.bytesOf(x));
    if (in != x.channels) pieces.push_back(memory.bytesOf(x.with(in)));
    const bool isOwn = !call.hasResidual || wide != out;
    if (isOwn) pieces.push_back(memory.bytesOf(x.with(wide)));
    // What a clip begins with is spread over the frames before it, and what the layer remembers follows.
    const std::int64_t before = memory.isFirstBatch() ? slot : 0;
    memory.hold(before);
    memory.note(with(pieces, {winogradScratchBytes(x.with(out), x.channels, kTimeTaps)}));
    if (wide != out) memory.note(with(pieces, {memory.bytesOf(x.with(out))}));
    memory.hold(before);
    memory.note(pieces);
    memory.release(before);
    return memory.bytesOf(x.with(out));
}

std::int64_t CausalConv3d::sliceBytes(const Call& call, BatchMemory& memory) const {
    const Activations &x = call.x, y = x.with(outChannels());
    const std::int64_t frame = memory.bytesOf(x.ofFrames(1)),
                       frames = framesOfSlice(frame, x.frames, memory.device());
    const std::int64_t slot = kHistoryFrames * frame, slice = memory.bytesOf(y.ofFrames(frames));
    const bool isWhole = frames == x.frames;
    const bool isInX = call.isConsumed && fitsIntoInput(y.values(), x.values());
    const bool isOnGpu = memory.path() == ConvPath::Cudnn;
    if (isOnGpu && !memory.isFirstBatch()) memory.release(slot);
    MemoryWalk::Pieces pieces = with(call.beside, {call.xBytes, slot + frames * frame});
    if (!isWhole && !call.hasResidual && !isInX) pieces.push_back(memory.bytesOf(y));
    // One frame in fp32, and what it becomes.
    if (call.isNormed && !isOnGpu)
        memory.note(with(pieces, {2 * x.ofFrames(1).values() * std::int64_t(sizeof(float))}));
    // With the deterministic algorithm that it takes, cuDNN 9 works in copies of input and output; libtorch
    // in one of the weights.
    const std::int64_t weight =
        kTimeTaps * kTimeTaps * kTimeTaps * x.channels * y.channels * memory.elementBytes();
    memory.note(with(pieces, {slice, isOnGpu ? slot + frames * frame + slice : weight}));
    if (isOnGpu || memory.isFirstBatch()) memory.hold(slot);
    return isInX && !isWhole ? call.xBytes : memory.bytesOf(y);
}

}  // namespace reelgrid::vae::cogvideox

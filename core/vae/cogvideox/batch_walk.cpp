#include "core/vae/cogvideox/batch_walk.h"

#include <algorithm>
#include <utility>

#include "core/vae/cogvideox/slices.h"

namespace reelgrid::vae::cogvideox {
namespace {

constexpr std::int64_t kFp32 = 4, kFp64 = 8;
constexpr std::int64_t kTaps = 3;

MemoryWalk::Pieces with(MemoryWalk::Pieces pieces, const MemoryWalk::Pieces& more) {
    pieces.insert(pieces.end(), more.begin(), more.end());
    return pieces;
}

/// Of an odd number of frames the first has no second one.
std::int64_t doubled(std::int64_t frames) {
    const std::int64_t lone = frames % 2;
    return frames == 1 ? 1 : lone + 2 * (frames - lone);
}

}  // namespace

BatchWalk::BatchWalk(at::ScalarType dtype, at::Device device)
    : m_path(convPathOf(dtype, device)),
      m_element(std::int64_t(c10::elementSize(dtype))),
      m_device(device),
      m_memory(device.is_cpu() ? MemoryWalk::Freed::Kept : MemoryWalk::Freed::Gone) {}

void BatchWalk::beginBatch(const Activations& latents) {
    m_latents = latents;
    if (m_batches++ > 0) m_memory.restart();
}

std::int64_t BatchWalk::normBytes(std::int64_t channels) const {
    constexpr std::int64_t kFactors = 2;
    return kFactors * m_latents.pixels() * channels * kFp32;
}

/// libtorch sums in parts, beside which it has them in fp64.
void BatchWalk::norm(const Activations& x, std::int64_t beside) {
    constexpr std::int64_t kMostValues = std::int64_t{1} << 20, kCopies = 2;
    const std::int64_t part =
        m_path == ConvPath::Libtorch ? kCopies * kFp64 * std::min(kMostValues, x.values()) : 0;
    m_memory.note({beside, part, 2 * normBytes(x.channels)});
}

std::int64_t BatchWalk::convolveByWinograd(const Convolution& conv) {
    const auto& [x, xBytes, out, isNormed, isConsumed, hasResidual, beside] = conv;
    const std::int64_t in = winogradChannels(x.channels), wide = winogradChannels(out),
                       slot = bytesOf(x.ofFrames(kHistoryFrames));
    MemoryWalk::Pieces pieces = with(beside, {xBytes});
    if (isNormed && !isConsumed) pieces.push_back(bytesOf(x));
    if (in != x.channels) pieces.push_back(bytesOf(x.with(in)));
    const bool isOwn = !hasResidual || wide != out;
    if (isOwn) pieces.push_back(bytesOf(x.with(wide)));
    // What a clip begins with is spread over the frames before it, and what the layer remembers follows.
    const std::int64_t before = m_batches > 1 ? 0 : slot;
    m_memory.hold(before);
    m_memory.note(with(pieces, {winogradScratchBytes(x.with(out), x.channels, kTaps)}));
    if (wide != out) m_memory.note(with(pieces, {bytesOf(x.with(out))}));
    m_memory.hold(before);
    m_memory.note(pieces);
    m_memory.letGo(before);
    return bytesOf(x.with(out));
}

std::int64_t BatchWalk::convolveInSlices(const Convolution& conv) {
    const auto& [x, xBytes, out, isNormed, isConsumed, hasResidual, beside] = conv;
    const Activations y = x.with(out);
    const std::int64_t frame = bytesOf(x.ofFrames(1)), frames = framesOfSlice(frame, x.frames, m_device);
    const std::int64_t slot = kHistoryFrames * frame, slice = bytesOf(y.ofFrames(frames));
    const bool isWhole = frames == x.frames;
    const bool isInX = isConsumed && fitsIntoInput(y.values(), x.values());
    const bool isOnGpu = m_path == ConvPath::Cudnn;
    if (isOnGpu && m_batches > 1) m_memory.letGo(slot);
    MemoryWalk::Pieces pieces = with(beside, {xBytes, slot + frames * frame});
    if (!isWhole && !hasResidual && !isInX) pieces.push_back(bytesOf(y));
    // One frame in fp32, and what it becomes.
    if (isNormed && !isOnGpu) m_memory.note(with(pieces, {2 * x.ofFrames(1).values() * kFp32}));
    // With the deterministic algorithm that it takes, cuDNN 9 works in copies of input and output; libtorch
    // in one of the weights.
    const std::int64_t workspace =
        isOnGpu ? slot + frames * frame + slice : kTaps * kTaps * kTaps * x.channels * out * m_element;
    m_memory.note(with(pieces, {slice, workspace}));
    if (isOnGpu || m_batches == 1) m_memory.hold(slot);
    return isInX && !isWhole ? xBytes : bytesOf(y);
}

std::int64_t BatchWalk::convolve(const Convolution& conv) {
    return m_path == ConvPath::Winograd ? convolveByWinograd(conv) : convolveInSlices(conv);
}

Activations BatchWalk::conv(const Activations& x, std::int64_t out) {
    convolve({.x = x, .xBytes = bytesOf(x), .out = out});
    return x.with(out);
}

Activations BatchWalk::normedConv(const Activations& x, std::int64_t out) {
    norm(x, bytesOf(x));
    convolve({.x = x,
              .xBytes = bytesOf(x),
              .out = out,
              .isNormed = true,
              .isConsumed = true,
              .beside = {normBytes(x.channels)}});
    return x.with(out);
}

Activations BatchWalk::residualBlock(const Activations& x, std::int64_t out) {
    const Activations h = x.with(out);
    const bool hasShortcut = x.channels != out;
    const std::int64_t shortcut = hasShortcut ? bytesOf(h) : 0, factors = normBytes(x.channels);
    norm(x, bytesOf(x));
    m_memory.note({bytesOf(x), shortcut, factors});
    const std::int64_t hBytes = convolve({.x = x,
                                          .xBytes = bytesOf(x),
                                          .out = out,
                                          .isNormed = true,
                                          .isConsumed = hasShortcut,
                                          .beside = {shortcut, factors}});
    const std::int64_t residual = hasShortcut ? shortcut : bytesOf(x);
    norm(h, hBytes + residual + factors);
    convolve({.x = h,
              .xBytes = hBytes,
              .out = out,
              .isNormed = true,
              .isConsumed = true,
              .hasResidual = true,
              .beside = {residual, factors, normBytes(out)}});
    return h;
}

Activations BatchWalk::upsample(const Activations& x, ResampleAxes axes) {
    Activations big{x.frames, 2 * x.rows, 2 * x.columns, x.channels};
    const std::int64_t frame = bytesOf(big.ofFrames(1));
    switch (m_path) {
        case ConvPath::Winograd:
            m_memory.note({bytesOf(x), bytesOf(big), winogradScratchBytes(big, x.channels, 1)});
            break;
        case ConvPath::Libtorch:
            m_memory.note({bytesOf(x), bytesOf(big), bytesOf(big)});
            break;
        case ConvPath::Cudnn:
            m_memory.note({bytesOf(x), bytesOf(big), 2 * framesOfSlice(frame, x.frames, m_device) * frame});
            break;
    }
    if (axes == ResampleAxes::SpaceAndTime) {
        const Activations longer = big.ofFrames(doubled(x.frames));
        m_memory.note({bytesOf(x), bytesOf(big), bytesOf(longer)});
        big = longer;
    }
    m_memory.endSize(bytesOf(big));
    return big;
}

Activations BatchWalk::downsample(const Activations& x, ResampleAxes axes) {
    const bool inTime = axes == ResampleAxes::SpaceAndTime && x.frames > 1;
    const Activations fewer = inTime ? x.ofFrames(x.frames / 2 + x.frames % 2) : x;
    // The means, and with the first frame before them; zeros around; what comes out.
    const Activations small{fewer.frames, x.rows / 2, x.columns / 2, x.channels};
    m_memory.note({bytesOf(x), inTime ? 2 * bytesOf(fewer) : 0, bytesOf(fewer), bytesOf(small)});
    m_memory.endSize(bytesOf(small));
    return small;
}

}  // namespace reelgrid::vae::cogvideox

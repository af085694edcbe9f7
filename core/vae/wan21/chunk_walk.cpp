#include "core/vae/wan21/chunk_walk.h"

#include <algorithm>

#include "core/vae/wan21/feature_cache.h"

namespace reelgrid::vae::wan21 {
namespace {

constexpr std::int64_t kTaps = 3;

}  // namespace

void ChunkWalk::remember(const Activations& x, std::int64_t frames) {
    m_remembered += bytesOf({m_clip == Clip::OneFrame ? 1 : frames, x.rows, x.columns, x.channels});
}

MemoryWalk::Pieces ChunkWalk::ofConv(const Activations& x, std::int64_t out, Output output) const {
    const std::int64_t in = bytesOf(x), made = bytesOf(x.with(out));
    const std::int64_t withHistory = bytesOf({x.frames + kHistoryFrames, x.rows, x.columns, x.channels});
    switch (m_path) {
        case ConvPath::Winograd: {  // the activation within; the residual's memory becomes the output
            MemoryWalk::Pieces pieces{in, winogradScratchBytes(x.with(out), x.channels, kTaps)};
            if (x.channels != winogradChannels(x.channels))
                pieces.push_back(bytesOf(x.with(winogradChannels(x.channels))));
            if (out != winogradChannels(out)) pieces.push_back(bytesOf(x.with(winogradChannels(out))));
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

Activations ChunkWalk::conv(const Activations& x, std::int64_t out) {
    m_memory.note(ofConv(x, out, Output::New));
    remember(x, kHistoryFrames);
    return x.with(out);
}

Activations ChunkWalk::residualBlock(const Activations& x, std::int64_t out) {
    const Activations h = conv(x, out);
    MemoryWalk::Pieces pieces =
        ofConv(h, out, m_path == ConvPath::Winograd ? Output::OfResidual : Output::New);
    pieces.push_back(bytesOf(x));
    if (x.channels != out) pieces.push_back(bytesOf(x.with(out)));
    m_memory.note(pieces);
    remember(h, kHistoryFrames);
    return h;
}

void ChunkWalk::attention(const Activations& x) {
    // The normed input with queries, keys and values, or these with what they give.
    m_memory.note({bytesOf(x), bytesOf(x), 3 * bytesOf(x), bytesOf(x)});
}

Activations ChunkWalk::upsample(const Activations& x, std::int64_t out, bool inTime) {
    Activations longer = x;
    if (m_clip == Clip::OneFrame) inTime = false;
    if (inTime) {
        longer.frames *= 2;
        MemoryWalk::Pieces pieces{
            bytesOf(x), bytesOf({x.frames + kHistoryFrames, x.rows, x.columns, x.channels}), bytesOf(longer)};
        if (m_path == ConvPath::Cudnn) pieces.push_back(bytesOf(longer));
        m_memory.note(pieces);
        remember(x, kHistoryFrames);
    }
    const Activations big{longer.frames, 2 * x.rows, 2 * x.columns, out};
    MemoryWalk::Pieces pieces{bytesOf(x), bytesOf(big)};
    if (inTime) pieces.push_back(bytesOf(longer));
    pieces.push_back(m_path == ConvPath::Winograd ? winogradScratchBytes(big, x.channels, 1)
                                                  : bytesOf(big.with(x.channels)));
    m_memory.note(pieces);
    m_memory.endSize(bytesOf(big));
    return big;
}

Activations ChunkWalk::downsample(const Activations& x, bool inTime) {
    Activations small{x.frames, x.rows / 2, x.columns / 2, x.channels};
    m_memory.note({bytesOf(x), bytesOf(x), bytesOf(small)});
    if (!inTime) return small;
    remember(small, 1);
    if (m_clip == Clip::OneFrame) return small;
    const Activations shorter{small.frames / 2, small.rows, small.columns, x.channels};
    m_memory.note({bytesOf(small), bytesOf(small), bytesOf(shorter)});
    return shorter;
}

}  // namespace reelgrid::vae::wan21

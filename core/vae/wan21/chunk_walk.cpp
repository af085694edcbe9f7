#include "core/vae/wan21/chunk_walk.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "core/vae/wan21/feature_cache.h"
#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae::wan21 {
namespace {

constexpr std::int64_t kChannelStep = 8;
constexpr std::int64_t kTaps = 3;
/// What glibc's malloc gives back to the system once it is freed: DEFAULT_MMAP_THRESHOLD_MAX, which its
/// threshold reaches as soon as something as large was freed.
constexpr std::int64_t kGivenBack = std::int64_t{32} << 20;

std::int64_t padded(std::int64_t channels) {
    return (channels + kChannelStep - 1) / kChannelStep * kChannelStep;
}

}  // namespace

ConvPath convPathOf(at::ScalarType dtype, at::Device device) {
    if (!device.is_cpu()) return ConvPath::Cudnn;
    return dtype == at::kFloat && kernels::vaeConvLanes() > 0 ? ConvPath::Winograd : ConvPath::Libtorch;
}

void ChunkWalk::note(const Pieces& pieces) {
    std::int64_t all = 0, small = 0;
    for (const std::int64_t bytes : pieces) {
        all += bytes;
        if (bytes <= kGivenBack) small += bytes;
    }
    m_mostLive = std::max(m_mostLive, m_held + all);
    m_most = std::max(m_most, m_held + m_kept + all);
    m_smallOfSize = std::max(m_smallOfSize, small);
}

void ChunkWalk::endSize(const Activations& x) {
    const std::int64_t lives = bytesOf(x) <= kGivenBack ? bytesOf(x) : 0;
    if (m_path != ConvPath::Cudnn) m_kept += std::max<std::int64_t>(0, m_smallOfSize - lives);
    m_smallOfSize = 0;
}

void ChunkWalk::remember(const Activations& x, std::int64_t frames) {
    m_remembered += bytesOf({m_clip == Clip::OneFrame ? 1 : frames, x.rows, x.columns, x.channels});
}

std::int64_t ChunkWalk::scratchBytes(const Activations& out, std::int64_t in, std::int64_t timeTaps) const {
    kernels::VaeConv conv;
    conv.lanes = kernels::vaeConvLanes();
    conv.inChannels = int(padded(in));
    conv.outChannels = int(padded(out.channels));
    conv.timeTaps = int(timeTaps);
    conv.rows = int(out.rows);
    conv.columns = int(out.columns);
    conv.frames = int(out.frames);
    const std::int64_t threads = std::min<std::int64_t>(at::get_num_threads(), kernels::vaeConvTasks(conv));
    return threads * std::int64_t(kernels::vaeConvScratchFloats(conv) * sizeof(float));
}

ChunkWalk::Pieces ChunkWalk::ofConv(const Activations& x, std::int64_t out, Output output) const {
    const std::int64_t in = bytesOf(x), made = bytesOf(x.with(out));
    const std::int64_t withHistory = bytesOf({x.frames + kHistoryFrames, x.rows, x.columns, x.channels});
    switch (m_path) {
        case ConvPath::Winograd: {
            Pieces pieces{in, scratchBytes(x.with(out), x.channels, kTaps)};
            if (x.channels % kChannelStep != 0) pieces.push_back(bytesOf(x.with(padded(x.channels))));
            if (out % kChannelStep != 0) pieces.push_back(bytesOf(x.with(padded(out))));
            if (output == Output::New) pieces.push_back(made);
            return pieces;
        }
        case ConvPath::Libtorch:
            return {in, in, kTaps * in, std::max(withHistory, made)};
        case ConvPath::Cudnn:
            break;
    }
    // With the deterministic algorithm that it takes, cuDNN 9 works in copies of input and output.
    return {in, withHistory, made, withHistory, made};
}

Activations ChunkWalk::conv(const Activations& x, std::int64_t out) {
    note(ofConv(x, out, Output::New));
    remember(x, kHistoryFrames);
    return x.with(out);
}

Activations ChunkWalk::residualBlock(const Activations& x, std::int64_t out) {
    const Activations h = conv(x, out);
    Pieces pieces = ofConv(h, out, m_path == ConvPath::Winograd ? Output::OfResidual : Output::New);
    pieces.push_back(bytesOf(x));
    if (x.channels != out) pieces.push_back(bytesOf(x.with(out)));
    note(pieces);
    remember(h, kHistoryFrames);
    return h;
}

void ChunkWalk::attention(const Activations& x) {
    // The normed input with queries, keys and values, or these with what they give.
    note({bytesOf(x), bytesOf(x), 3 * bytesOf(x), bytesOf(x)});
}

Activations ChunkWalk::upsample(const Activations& x, std::int64_t out, bool inTime) {
    Activations longer = x;
    if (m_clip == Clip::OneFrame) inTime = false;
    if (inTime) {
        longer.frames *= 2;
        Pieces pieces{bytesOf(x), bytesOf({x.frames + kHistoryFrames, x.rows, x.columns, x.channels}),
                      bytesOf(longer)};
        if (m_path == ConvPath::Cudnn) pieces.push_back(bytesOf(longer));
        note(pieces);
        remember(x, kHistoryFrames);
    }
    const Activations big{longer.frames, 2 * x.rows, 2 * x.columns, out};
    Pieces pieces{bytesOf(x), bytesOf(big)};
    if (inTime) pieces.push_back(bytesOf(longer));
    pieces.push_back(m_path == ConvPath::Winograd ? scratchBytes(big, x.channels, 1)
                                                  : bytesOf(big.with(x.channels)));
    note(pieces);
    endSize(big);
    return big;
}

Activations ChunkWalk::downsample(const Activations& x, bool inTime) {
    Activations small{x.frames, x.rows / 2, x.columns / 2, x.channels};
    note({bytesOf(x), bytesOf(x), bytesOf(small)});
    if (!inTime) return small;
    remember(small, 1);
    if (m_clip == Clip::OneFrame) return small;
    const Activations shorter{small.frames / 2, small.rows, small.columns, x.channels};
    note({bytesOf(small), bytesOf(small), bytesOf(shorter)});
    return shorter;
}

}  // namespace reelgrid::vae::wan21

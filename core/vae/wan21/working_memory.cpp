#include "core/vae/wan21/working_memory.h"

#include <algorithm>

#include "core/vae/tile_memory.h"
#include "core/vae/wan21/chunk_walk.h"
#include "core/weights/weight_source.h"
#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae::wan21 {
namespace {

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kColors = 3;

ChunkWalk walkOf(const ClipSize& clip, const Computing& computing) {
    return {convPathOf(computing.dtype, computing.device), std::int64_t(c10::elementSize(computing.dtype)),
            clip.frames > 1 ? ChunkWalk::Clip::Longer : ChunkWalk::Clip::OneFrame};
}

/// Rows and columns of what a pass works on at once.
ClipSize windowOf(const ClipSize& clip, const std::optional<Tiling>& tiling) {
    if (!tiling) return clip;
    return {clip.frames, std::min(clip.height, tiling->rows.tilePixels),
            std::min(clip.width, tiling->columns.tilePixels)};
}

Activations midBlock(ChunkWalk& walk, const Activations& x) {
    walk.residualBlock(x, x.channels);
    walk.attention(x);
    return walk.residualBlock(x, x.channels);
}

/// As Decoder::forward goes.
ChunkWalk throughDecoder(const WanVaeConfig& config, const ClipSize& window, const Computing& computing) {
    const std::int64_t edge = config.spatialFactor(), later = (window.frames - 1) / config.temporalFactor();
    const std::int64_t rows = window.height / edge, columns = window.width / edge;
    const std::int64_t frames = std::clamp<std::int64_t>(
        latentFramesPerChunk(config, rows, columns, computing.dtype, computing.device), 1,
        std::max<std::int64_t>(1, later));
    const auto levels = std::ssize(config.dimMult);
    const auto wide = [&](std::int64_t level) {
        return config.decoderBaseDim * config.dimMult[std::size_t(level)];
    };
    ChunkWalk walk = walkOf(window, computing);
    Activations h = midBlock(walk, walk.conv({frames, rows, columns, config.zDim}, wide(levels - 1)));
    for (std::int64_t level = levels - 1; level >= 0; --level) {
        const Activations before = h;
        for (std::int64_t block = 0; block <= config.numResBlocks; ++block) {
            h = walk.residualBlock(h, wide(level));
            // Whoever called the level still has what it began with, unless that became the output.
            if (block == 0 && before.channels != h.channels) walk.hold(before);
        }
        const bool changed = before.channels != h.channels;
        if (level > 0) {
            const std::int64_t out = config.isResidual ? wide(level) : wide(level) / 2;
            const bool inTime = config.temporalDownsample[std::size_t(level - 1)];
            Activations around = h;
            if (config.isResidual) {
                around = {h.frames * (inTime && window.frames > 1 ? 2 : 1), 2 * h.rows, 2 * h.columns, out};
                walk.hold(around);
            }
            h = walk.upsample(h, out, inTime);
            if (config.isResidual) {
                walk.sum(h);
                walk.letGo(around);
            }
        }
        if (changed) walk.letGo(before);
    }
    walk.conv(h, config.pictureChannels());
    return walk;
}

/// As Encoder::forward goes.
ChunkWalk throughEncoder(const WanVaeConfig& config, const ClipSize& window, const Computing& computing) {
    const std::int64_t frames = window.frames > 1 ? config.temporalFactor() : 1;
    ChunkWalk walk = walkOf(window, computing);
    const std::int64_t edge = config.patchSize;
    Activations h = walk.conv({frames, window.height / edge, window.width / edge, config.pictureChannels()},
                              config.baseDim);
    for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
        const Activations before = h;
        // Around the level goes what it halves: less than what it begins with.
        if (config.isResidual) walk.hold(before);
        for (std::int64_t block = 0; block < config.numResBlocks; ++block)
            h = walk.residualBlock(h, config.baseDim * config.dimMult[level]);
        if (level + 1 < config.dimMult.size()) h = walk.downsample(h, config.temporalDownsample[level]);
        if (config.isResidual) walk.letGo(before);
    }
    h = midBlock(walk, h);
    walk.conv(h, 2 * config.zDim);
    return walk;
}

}  // namespace

std::uint64_t weightBytes(const WanVaeConfig& config, WanVaeParts parts, const Computing& computing) {
    weights::RecordingWeights recording;
    const WanVae counted(weights::WeightScope(recording, at::kFloat), config, {.parts = parts});
    const ConvPath path = convPathOf(computing.dtype, computing.device);
    const auto padded = [](std::int64_t channels) { return (channels + 7) / 8 * 8; };
    std::int64_t elements = 0;
    for (const auto& [name, shape] : recording.requests()) {
        std::int64_t count = 1;
        for (const std::int64_t side : shape) count *= side;
        const bool isInTime = shape.size() == 5 && shape.back() == 3;
        const bool doubles = shape.size() == 4 && shape.back() == 3 && name.starts_with("decoder.");
        if (path == ConvPath::Winograd && (isInTime || doubles))
            count = std::int64_t(kernels::vaeConvWeightFloats(int(padded(shape[1])), int(padded(shape[0])),
                                                              isInTime ? int(shape[2]) : 1));
        // And the last tap by itself, for a clip's first frame.
        if (path == ConvPath::Libtorch && isInTime) count += count / shape[2];
        elements += count;
    }
    return std::uint64_t(elements) * c10::elementSize(computing.dtype);
}

std::uint64_t bytesToDecode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling, const Computing& computing) {
    return std::uint64_t(clip.height * clip.width * clip.frames * kColors) +
           throughDecoder(config, windowOf(clip, tiling), computing).peak() +
           bytesOfTiles(clip.height, clip.width, clip.frames, tiling);
}

std::uint64_t bytesToEncode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling, const Computing& computing) {
    return std::uint64_t(clip.height * clip.width * clip.frames * kColors * kFp32) +
           throughEncoder(config, windowOf(clip, tiling), computing).peak();
}

std::uint64_t layerBytesToDecode(const WanVaeConfig& config, const ClipSize& clip,
                                 const Computing& computing) {
    return throughDecoder(config, clip, computing).livePeak();
}

std::uint64_t layerBytesToEncode(const WanVaeConfig& config, const ClipSize& clip,
                                 const Computing& computing) {
    return throughEncoder(config, clip, computing).livePeak();
}

}  // namespace reelgrid::vae::wan21

// What VideoUnet says of its memory.

#include <algorithm>
#include <cmath>

#include "core/models/svd/unet.h"
#include "core/vae/picture_memory.h"

namespace reelgrid::models::svd {
namespace {

/// The values that live at once while a pass goes through its places.
class PassWalk {
  public:
    explicit PassWalk(const VideoUnetConfig& config) : m_config(config) {}

    using Clip = VideoUnet::ClipPixels;
    /// A residual layer's input, which its caller holds, and three of its output: what a convolution makes,
    /// a norm of it, what it is added to; along time a copy with frames around.
    void place(const Clip& clip, std::int64_t in, std::size_t level, bool hasAttention) {
        const std::int64_t pixels = clip.frames * clip.rows * clip.columns,
                           out = m_config.blockChannels[level];
        note(pixels * (2 * in + out));
        note(pixels * (in + 5 * out));
        if (!hasAttention) return;
        // The transformer's input, tokens before and after the layers along time, a norm of them, and
        // queries, keys, values and their mean, or a part of the feed-forward layer's wide product.
        const std::int64_t wide = std::min(4 * unet::GatedFeedForward::kWider * pixels * out,
                                           2 * unet::GatedFeedForward::kMostValues);
        note(pixels * in + pixels * 6 * out + std::max(wide, 4 * pixels * out));
    }
    void hold(std::int64_t values) { m_held += values; }
    void letGo(std::int64_t values) { m_held -= values; }
    [[nodiscard]] std::int64_t peak() const { return m_most; }

  private:
    void note(std::int64_t values) { m_most = std::max(m_most, m_held + values); }

    const VideoUnetConfig& m_config;
    std::int64_t m_held = 0, m_most = 0;
};

}  // namespace

std::uint64_t VideoUnet::passBytes(const VideoUnetConfig& config, at::ScalarType dtype,
                                   const ClipPixels& latents) {
    PassWalk walk(config);
    using Kind = VideoUnetConfig::BlockKind;
    const auto valuesOf = [](const ClipPixels& clip, std::int64_t channels) {
        return clip.frames * clip.rows * clip.columns * channels;
    };
    ClipPixels clip = latents;
    std::vector<ClipPixels> sizes;
    std::vector<std::int64_t> skips;
    const auto skip = [&](std::int64_t channels) {
        skips.push_back(valuesOf(clip, channels));
        walk.hold(skips.back());
    };
    std::int64_t in = config.blockChannels.front();
    skip(in);
    for (std::size_t level = 0; level < config.blocks(); ++level) {
        sizes.push_back(clip);
        for (std::int64_t layer = 0; layer < config.layersPerBlock; ++layer) {
            walk.place(clip, in, level, config.blockKinds[level] == Kind::CrossAttention);
            in = config.blockChannels[level];
            skip(in);
        }
        if (level + 1 == config.blocks()) break;
        clip.rows = (clip.rows + 1) / 2;
        clip.columns = (clip.columns + 1) / 2;
        skip(in);
    }
    walk.place(clip, in, config.blocks() - 1, true);
    for (std::size_t level = config.blocks(); level-- > 0;) {
        clip = sizes[level];
        for (std::int64_t layer = 0; layer <= config.layersPerBlock; ++layer) {
            const std::int64_t skipped = skips.back();
            skips.pop_back();
            walk.letGo(skipped);
            walk.place(clip, in + skipped / valuesOf(clip, 1), level,
                       config.blockKinds[level] == Kind::CrossAttention);
            in = config.blockChannels[level];
        }
    }
    return static_cast<std::uint64_t>(walk.peak()) * c10::elementSize(dtype);
}

std::uint64_t VideoUnet::weightBytes(const VideoUnetConfig& config, at::ScalarType dtype, at::Device device,
                                     const BlockOptions& blocks) {
    weights::RecordingWeights counted;
    const VideoUnet whole(config, weights::WeightScope(counted, at::kFloat));
    const auto each = unet::placeWeightBytes(
        whole.m_places, dtype, device, [&](const unet::PlaceInUnet& where, const vae::LayerSource& source) {
            return Loader{config, source}.place(where);
        });
    return unet::unetWeightBytes(vae::pictureWeightBytes(counted.requests(), dtype, device), each, blocks);
}

}  // namespace reelgrid::models::svd

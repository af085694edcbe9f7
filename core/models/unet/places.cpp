#include "core/models/unet/places.h"

#include <numeric>

#include "core/models/layers/weight_bytes.h"

namespace reelgrid::models::unet {

using Way = PlaceInUnet::Way;

std::string PlaceInUnet::blockName() const {
    if (way == Way::Middle) return "mid";
    return (way == Way::Down ? "down" : "up") + std::to_string(block);
}

vae::LayerSource PlaceInUnet::blockIn(const vae::LayerSource& unet) const {
    if (way == Way::Middle) return unet / "mid_block";
    return unet / (way == Way::Down ? "down_blocks" : "up_blocks") / block;
}

std::vector<PlaceInUnet> placesOf(const std::vector<std::int64_t>& blockChannels,
                                  std::int64_t layersPerBlock) {
    std::vector<PlaceInUnet> places;
    int number = 0;
    const std::size_t blocks = blockChannels.size();
    std::int64_t in = blockChannels.front();
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::int64_t channels = blockChannels[i];
        for (std::int64_t layer = 0; layer < layersPerBlock; ++layer, in = channels)
            places.push_back({.way = Way::Down,
                              .block = static_cast<std::int64_t>(i),
                              .layer = layer,
                              .level = i,
                              .in = in,
                              .out = channels,
                              .changesSize = i + 1 < blocks && layer + 1 == layersPerBlock,
                              .number = number++});
    }
    for (const std::int64_t layer : {0, 1})
        places.push_back(
            {.way = Way::Middle, .layer = layer, .level = blocks - 1, .in = in, .out = in, .number = number});
    ++number;
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t level = blocks - 1 - i;
        const std::int64_t channels = blockChannels[level];
        // The way down's outputs come back in the opposite order, the last of a block from the block before.
        const std::int64_t before = blockChannels[level == 0 ? 0 : level - 1];
        for (std::int64_t layer = 0; layer <= layersPerBlock; ++layer, in = channels)
            places.push_back({.way = Way::Up,
                              .block = static_cast<std::int64_t>(i),
                              .layer = layer,
                              .level = level,
                              .in = in + (layer == layersPerBlock ? before : channels),
                              .out = channels,
                              .changesSize = level > 0 && layer == layersPerBlock,
                              .number = number++});
    }
    return places;
}

Sampler Sampler::load(const PlaceInUnet& where, const vae::LayerSource& block) {
    Sampler made;
    if (!where.changesSize) return made;
    if (where.way == Way::Down)
        made.down.emplace(block / "downsamplers" / 0 / "conv", where.out, vae::HalvingConv::Zeros::Around);
    else
        made.up.emplace(block / "upsamplers" / 0 / "conv", where.out, where.out);
    return made;
}

std::uint64_t unetWeightBytes(std::uint64_t whole, const std::vector<std::uint64_t>& each,
                              const BlockOptions& options) {
    return whole - std::accumulate(each.begin(), each.end(), std::uint64_t{0}) + residentBytes(each, options);
}

}  // namespace reelgrid::models::unet

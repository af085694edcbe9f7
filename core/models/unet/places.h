#pragma once

// Shape legend: F frames, H rows, W columns, C channels.

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/models/layers/blocks.h"
#include "core/models/unet/layers.h"

// A UNet's places in the order of a forward pass. A place is what is loaded, and offloaded, as one piece
// (layers/blocks.h): a residual layer with what follows it.

namespace reelgrid::models::unet {

/// Where a place lies in its UNet.
struct PlaceInUnet {
    enum class Way { Down, Middle, Up };

    Way way = Way::Down;
    std::int64_t block = 0, layer = 0;  ///< on its way, in its block: as checkpoints number them
    std::size_t level = 0;              ///< of its pictures' sizes; 0: the full one
    std::int64_t in = 0, out = 0;       ///< channels of its residual layer
    bool changesSize = false;           ///< whether its block's downsampler or upsampler follows
    int number = 0;                     ///< among those where attention may follow: its calls' layer

    /// The middle's second residual layer, which nothing follows.
    [[nodiscard]] bool isLastOfMiddle() const { return way == Way::Middle && layer > 0; }
    /// "down0", "mid", "up3".
    [[nodiscard]] std::string blockName() const;
    /// Its block's parameters by diffusers' names.
    [[nodiscard]] vae::LayerSource blockIn(const vae::LayerSource& unet) const;
};

/// Down from the full size, two in the middle, up again with one layer more a block, whose input has what lay
/// at its height on the way down beside it. blockChannels: of each size.
std::vector<PlaceInUnet> placesOf(const std::vector<std::int64_t>& blockChannels,
                                  std::int64_t layersPerBlock);

/// What changes pictures' size behind a place, if anything does.
struct Sampler {
    std::optional<vae::HalvingConv> down;
    std::optional<vae::ImageConv> up;

    static Sampler load(const PlaceInUnet& where, const vae::LayerSource& block);
    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        if (down) down->eachTensor(visit);
        if (up) up->eachTensor(visit);
    }
};

/// The way of pictures x [F, H, W, C] through `layers`, which lie at `places`: `through(i, layers, x)` is
/// what those of places[i] make of x. A Place has a Sampler `sampler`.
template <class Place, class Through>
at::Tensor walk(const std::vector<PlaceInUnet>& places, Blocks<Place>& layers, at::Tensor x_FHWC,
                const Through& through) {
    std::vector<at::Tensor> skips{x_FHWC};
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Place& place = layers.use(static_cast<int>(i));
        if (places[i].way == PlaceInUnet::Way::Up) {
            x_FHWC = at::cat({x_FHWC, skips.back()}, 3);
            skips.pop_back();
        }
        x_FHWC = through(i, place, x_FHWC);
        if (places[i].way == PlaceInUnet::Way::Down) skips.push_back(x_FHWC);
        if (place.sampler.down) {
            x_FHWC = place.sampler.down->forward(x_FHWC);
            skips.push_back(x_FHWC);
        }
        if (place.sampler.up)
            x_FHWC = enlarged(*place.sampler.up, x_FHWC, skips.back().size(1), skips.back().size(2));
    }
    return x_FHWC;
}

/// Of each place's weights: those that `load(where, source)` asks for.
template <class Load>
std::vector<std::uint64_t> placeWeightBytes(const std::vector<PlaceInUnet>& places, at::ScalarType dtype,
                                            at::Device device, const Load& load) {
    std::vector<std::uint64_t> each;
    for (const PlaceInUnet& where : places) {
        weights::RecordingWeights counted;
        (void)load(where, vae::LayerSource{weights::WeightScope(counted, at::kFloat)});
        each.push_back(vae::pictureWeightBytes(counted.requests(), dtype, device));
    }
    return each;
}

/// Of a UNet's weights, `whole` in all and so many of `each` place, those that lie on the device.
std::uint64_t unetWeightBytes(std::uint64_t whole, const std::vector<std::uint64_t>& each,
                              const BlockOptions& options);

}  // namespace reelgrid::models::unet

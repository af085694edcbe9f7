#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/models/unet/layers.h"

// The way of pictures through a UNet's blocks. A block has `places`, and a `downsampler` or an `upsampler` or
// none; `through(place, x)` is what a place makes of x. x: [F, H, W, C].

namespace reelgrid::models::unet {

/// Down through `blocks`; x, and what each place and downsampler makes, go onto `skips`.
template <class Blocks, class Through>
at::Tensor walkDown(const Blocks& blocks, at::Tensor x_FHWC, std::vector<at::Tensor>& skips,
                    const Through& through) {
    skips.push_back(x_FHWC);
    for (const auto& block : blocks) {
        for (const auto& place : block.places) {
            x_FHWC = through(place, x_FHWC);
            skips.push_back(x_FHWC);
        }
        if (!block.downsampler) continue;
        x_FHWC = block.downsampler->forward(x_FHWC);
        skips.push_back(x_FHWC);
    }
    return x_FHWC;
}

/// Up again; each place is given what lay at its height, the last of `skips`, which it takes off.
template <class Blocks, class Through>
at::Tensor walkUp(const Blocks& blocks, at::Tensor x_FHWC, std::vector<at::Tensor>& skips,
                  const Through& through) {
    for (const auto& block : blocks) {
        for (const auto& place : block.places) {
            x_FHWC = at::cat({x_FHWC, skips.back()}, 3);
            skips.pop_back();
            x_FHWC = through(place, x_FHWC);
        }
        if (block.upsampler)
            x_FHWC = enlarged(*block.upsampler, x_FHWC, skips.back().size(1), skips.back().size(2));
    }
    return x_FHWC;
}

}  // namespace reelgrid::models::unet

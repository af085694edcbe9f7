#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>

#include "core/vae/cogvideox/cogvideox_vae_config.h"
#include "core/vae/tiling.h"

namespace reelgrid::vae::cogvideox {

/// Of the weights as they lie on the device; the CPU's kernels have theirs transformed (kernels/cpu/vae).
std::uint64_t weightBytes(const CogVideoXVaeConfig& config, at::ScalarType dtype, at::Device device,
                          bool encodes);

/// A clip of pixels, and what the VAE computes in.
struct ClipSize {
    std::int64_t frames = 0, height = 0, width = 0;
    at::ScalarType dtype = at::kFloat;
    at::Device device = at::kCPU;
};

/// About how many bytes a pass of the clip takes beside the weights, at its fullest moment: layers of one
/// batch of frames, what all convolutions remember, and the clip. In tiles: those of one tile, and the clip
/// in fp32.
std::uint64_t bytesToDecode(const CogVideoXVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling = std::nullopt);
std::uint64_t bytesToEncode(const CogVideoXVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling = std::nullopt);

/// Of these what tensors take alone, without the clip and without what the C library keeps of freed ones.
std::uint64_t layerBytesToDecode(const CogVideoXVaeConfig& config, const ClipSize& clip);
std::uint64_t layerBytesToEncode(const CogVideoXVaeConfig& config, const ClipSize& clip);

}  // namespace reelgrid::vae::cogvideox

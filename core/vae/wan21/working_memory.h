#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>

#include "core/vae/tiling.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {

/// A clip of pixels.
struct ClipSize {
    std::int64_t frames = 0, height = 0, width = 0;
};

/// What an autoencoder computes in, and where.
struct Computing {
    at::ScalarType dtype = at::kFloat;
    at::Device device = at::kCPU;
};

/// Bytes of the weights as they are kept: on the CPU in fp32 transformed for Winograd's filtering, four times
/// what is stored; with `parts` those of one direction alone.
std::uint64_t weightBytes(const WanVaeConfig& config, WanVaeParts parts, const Computing& computing);

/// Bytes that a pass of the clip takes beside the weights at its fullest moment: what one chunk goes through
/// (chunk_walk.h), what layers remember from chunk to chunk, and the clip. In tiles: those of one tile, and
/// the clip in fp32.
std::uint64_t bytesToDecode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling = std::nullopt,
                            const Computing& computing = {});
std::uint64_t bytesToEncode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling = std::nullopt,
                            const Computing& computing = {});

/// Of what a pass of the whole clip takes, the tensors of its layers alone.
std::uint64_t layerBytesToDecode(const WanVaeConfig& config, const ClipSize& clip,
                                 const Computing& computing = {});
std::uint64_t layerBytesToEncode(const WanVaeConfig& config, const ClipSize& clip,
                                 const Computing& computing = {});

}  // namespace reelgrid::vae::wan21

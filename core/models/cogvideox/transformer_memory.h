#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "core/models/cogvideox/config.h"
#include "core/models/layers/blocks.h"

namespace reelgrid::models::cogvideox {

/// Of a transformer's weights that lie on the device, its blocks where the options put them.
std::uint64_t weightBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype, at::Device device,
                          const BlockOptions& options);

/// What a forward pass works in beside these. tokens: of video.
std::uint64_t activationBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype,
                              std::int64_t tokens);

}  // namespace reelgrid::models::cogvideox

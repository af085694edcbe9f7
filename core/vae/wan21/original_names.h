#pragma once

#include <string>

#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {

/// What Wan's own checkpoint (Wan2.1_VAE.pth and files made of it) calls a parameter that diffusers'
/// AutoencoderKLWan calls `name`: "decoder.upsamples.3.resample.1.weight" for
/// "decoder.up_blocks.0.upsamplers.0.resample.1.weight". The tensors are the same.
std::string originalName(const std::string& name, const WanVaeConfig& config);

}  // namespace reelgrid::vae::wan21

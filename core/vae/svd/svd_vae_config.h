#pragma once

#include "core/vae/image/image_vae_config.h"

namespace reelgrid::vae::svd {

/// vae/config.json of a diffusers folder whose class is AutoencoderKLTemporalDecoder; the defaults are Stable
/// Video Diffusion's. The encoder is Stable Diffusion's.
struct SvdVaeConfig {
    image::ImageVaeConfig image = image::ImageVaeConfig::stableDiffusion15();
    /// Whether the encoder computes in fp32 where the rest does in fp16, as its authors have it.
    bool forceUpcast = true;

    /// Throws Failure: InvalidData for a value that makes no model, Unsupported for one of a model that isn't
    /// built here; both name the key, its value and what was needed.
    static SvdVaeConfig from(const weights::ModelConfig& config);
};

}  // namespace reelgrid::vae::svd

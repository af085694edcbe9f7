#pragma once

#include "core/denoising/family_model.h"

namespace reelgrid::models::svd {

/// Stable Video Diffusion: CLIP's image encoder, the UNet, Euler's method along noise levels and the temporal
/// decoder. Source: diffusers 0.40, pipelines/stable_video_diffusion/pipeline_stable_video_diffusion.py.
denoising::FamilyModel familyModel();

}  // namespace reelgrid::models::svd

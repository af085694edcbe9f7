#pragma once

#include "core/denoising/family_model.h"

namespace reelgrid::models::cogvideox {

/// CogVideoX from a diffusers folder: T5, the transformer, the sampler and the causal 3-D VAE.
/// Source: diffusers 0.40, pipelines/cogvideo/pipeline_cogvideox.py and pipeline_cogvideox_image2video.py.
denoising::FamilyModel familyModel();

}  // namespace reelgrid::models::cogvideox

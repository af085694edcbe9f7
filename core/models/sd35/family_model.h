#pragma once

#include "core/denoising/family_model.h"

namespace reelgrid::models::sd35 {

/// Stable Diffusion 3.5 as a clip's frames: each frame is a picture of its own noise (seed + its number), all
/// of one prompt; what makes a clip of them is a temporal module in the transformer's blocks or, without one,
/// attention over frames of the latents that come out.
/// Source: diffusers 0.40, pipeline_stable_diffusion_3.py, for each frame.
denoising::FamilyModel familyModel();

}  // namespace reelgrid::models::sd35

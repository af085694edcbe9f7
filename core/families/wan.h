#pragma once

#include "core/families/family.h"

namespace reelgrid::families {

/// Wan in diffusers' layout: WanPipeline with one transformer (Wan 2.1 text-to-video).
Family wanFamily();
/// WanImageToVideoPipeline with one transformer and CLIP's image encoder: Wan 2.1 I2V and FLF2V.
Family wanImageFamily();
/// WanPipeline with a transformer for the noisy steps and one for the others: Wan 2.2 T2V-A14B.
Family wanExpertsFamily();
/// The same from a picture: Wan 2.2 I2V-A14B.
Family wanImageExpertsFamily();
/// One transformer whose timesteps are the tokens' own: Wan 2.2 TI2V-5B.
Family wanTokenTimesFamily();

}  // namespace reelgrid::families

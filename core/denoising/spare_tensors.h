#pragma once

#include <string>

namespace reelgrid::denoising {

/// Whether a tensor is one of those that published checkpoints have for no layer, which their own programs
/// pass over, too: tables that are computed, averages and losses of training, the convolutions about latents
/// of a VAE that is said to have none.
bool isSpareTensor(const std::string& name);

}  // namespace reelgrid::denoising

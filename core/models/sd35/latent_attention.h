#pragma once

// Shape legend: Z latent channels, F frames, Y rows, X columns of latents.

#include <ATen/ATen.h>

#include "core/attention/dispatcher.h"

namespace reelgrid::models::sd35 {

/// Attention of each place's latents in all frames to each other, without parameters: x + alpha (attention −
/// x) of fp32 [1, Z, F, Y, X], with one head of Z channels. What an image model without a temporal module has
/// in its place.
at::Tensor attendOverFrames(const at::Tensor& latents_1ZFYX, double alpha, attention::Dispatcher& attention);

}  // namespace reelgrid::models::sd35

#pragma once

#include <ATen/ATen.h>

#include "core/vae/activations.h"

namespace reelgrid::vae {

/// By what a VAE's convolutions are computed, which decides what they need beside input and output: our
/// kernels (winograd_conv.h), libtorch's on the CPU, or cuDNN's (gpu_conv.h).
enum class ConvPath { Winograd, Libtorch, Cudnn };
ConvPath convPathOf(at::ScalarType dtype, at::Device device);

/// What our kernels work in, all threads together. timeTaps: 1 or 3.
std::int64_t winogradScratchBytes(const Activations& out, std::int64_t inChannels, std::int64_t timeTaps);
/// To how many channels they pad.
std::int64_t winogradChannels(std::int64_t channels);

}  // namespace reelgrid::vae

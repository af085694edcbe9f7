#pragma once

#include <cstddef>
#include <vector>

namespace reelgrid::kernels {

/// The signs (±1) that fav3_fp8 gives the head's dimensions before its Hadamard rotation: from splitmix64
/// with a fixed seed, so that the CPU and the GPU make the same rounding errors on every machine.
std::vector<float> rotationSigns(std::size_t dims);

}  // namespace reelgrid::kernels

#pragma once

#include <cstdint>

namespace reelgrid::denoising {

/// Of the program and its libraries on the CPU, once all stages have run: 127 MB of their files' pages
/// (libtorch's 74), and 58 MB of memory that libtorch takes before a model is loaded. On a GPU only what
/// libtorch hands out is counted.
inline constexpr std::uint64_t kProcessBytes = 185'000'000;

}  // namespace reelgrid::denoising

#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/vae/frame_conv.h"

namespace reelgrid::kernels {

inline constexpr int kFrameConvTaps = 3;

/// Pixels of a task: their activated values in three neighbouring frames stay in a core's second-level cache,
/// and the weights, which each frame of a task reads once, are read for enough of them. A multiple of what
/// AVX-512's and AVX2's products take at once.
inline std::int64_t frameConvPixels(const FrameConvCall& call) {
    constexpr std::int64_t kCacheFloats = 128 * 1024, kStep = 12, kMost = 96;
    const std::int64_t fitting = kCacheFloats / (kFrameConvTaps * call.inChannels) / kStep * kStep;
    return std::clamp(fitting, 2 * kStep, kMost);
}

// One source file each, compiled for that instruction set; call them only where the machine has it.
void runFrameConvAvx2(const FrameConvCall& call, std::int64_t firstPixel, std::int64_t lastPixel,
                      float* scratch);
void runFrameConvAvx512(const FrameConvCall& call, std::int64_t firstPixel, std::int64_t lastPixel,
                        float* scratch);

}  // namespace reelgrid::kernels

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace reelgrid::kernels {

/// A convolution along time in fp32, three taps of one pixel (3×1×1), with what stands around it in a video
/// model in the same pass over memory: an affine map and silu before it (a norm, once its sums are known),
/// bias and residual behind it. Frames before the first and behind the last are zeros, which the map leaves
/// zeros. A pixel's channels lie together; channels are multiples of 8.
struct FrameConvCall {
    int lanes = 0;        ///< vaeConvLanes(), which isn't 0
    int inChannels = 0;   ///< C
    int outChannels = 0;  ///< O
    int frames = 0;
    std::int64_t pixels = 0;  ///< of a frame

    const float* in = nullptr;     ///< [frames, pixels, C]
    const float* scale = nullptr;  ///< [C]: the input first becomes silu(in · scale + shift); null: as it is
    const float* shift = nullptr;  ///< [C]

    const float* weights = nullptr;  ///< from packFrameConvWeights
    const float* bias = nullptr;     ///< [O]
    /// [frames, pixels, O], added to the output, or null; may be `out`.
    const float* residual = nullptr;
    float* out = nullptr;  ///< [frames, pixels, O], not `in`
};

/// Floats that the packed weights take.
std::size_t frameConvWeightFloats(int inChannels, int outChannels, int lanes);
/// Orders weights_OCT [O, C, 3] once, for the kernels of this machine.
void packFrameConvWeights(const float* weights_OCT, int inChannels, int outChannels, int lanes,
                          float* packed);

/// The convolution in independent tasks, each some pixels over all frames. Each thread calls runFrameConv
/// with one counter shared by all, which starts at 0, and a scratch of its own, aligned to 64 bytes.
std::int64_t frameConvTasks(const FrameConvCall& call);
std::size_t frameConvScratchFloats(const FrameConvCall& call);
void runFrameConv(const FrameConvCall& call, std::atomic<std::int64_t>& nextTask, float* scratch);

}  // namespace reelgrid::kernels

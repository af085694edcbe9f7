#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace reelgrid::kernels {

/// How the pixels of the input lie under those of the output: the same, or each input pixel under 2×2 output
/// pixels (nearest-neighbour doubling before the convolution).
enum class VaeConvInput { Same, Doubled };

/// A causal convolution of the video autoencoder in fp32: 3×3 in space with zero padding, 1 or 3 taps in
/// time, pixels with their channels together. Channels are multiples of 8.
///
/// Winograd's minimal filtering F(4×4, 3×3): 36 products where a direct convolution has 144. The
/// interpolation points 0, 1, −1, ½, −2 keep its error at about twice that of a direct fp32 sum. Sources:
/// Lavin and Gray 2015 (arXiv:1509.09308); Barabasz et al. 2018 (arXiv:1803.10986) on the points.
struct VaeConv {
    int lanes = 0;        ///< vaeConvLanes(), or 8 where that is 16
    int inChannels = 0;   ///< C
    int outChannels = 0;  ///< O
    int timeTaps = 3;     ///< 1 or 3
    int rows = 0;         ///< of the output
    int columns = 0;
    int frames = 0;  ///< of the output
    VaeConvInput input = VaeConvInput::Same;

    /// frames + timeTaps − 1 pointers to [rows, columns, C] (half of both when doubled); output frame t sees
    /// inFrames[t] … inFrames[t + timeTaps − 1]. Null is a frame of zeros.
    const float* const* inFrames = nullptr;
    const float* normScale =
        nullptr;  ///< [C]: the input first becomes silu(x / max(‖x‖₂, 1e-12) · normScale)

    const float* weights = nullptr;  ///< from packVaeConvWeights
    const float* bias = nullptr;     ///< [O]
    const float* residual =
        nullptr;           ///< [frames, rows, columns, O], added to the output, or null; may be `out` itself
    float* out = nullptr;  ///< [frames, rows, columns, O]
};

/// Floats in the vectors of the selected instruction set: 16 (AVX-512, also under AMX), 8 (AVX2) or 0, which
/// has no kernels here. Throws as selectedInstructionSet() does when REELGRID_CPU asks for what isn't there.
int vaeConvLanes();

/// Floats that the packed weights take.
std::size_t vaeConvWeightFloats(int inChannels, int outChannels, int timeTaps);

/// Transforms and orders weights_OCTHW [O, C, timeTaps, 3, 3] once, for the kernels of this machine: the part
/// of the output channels [firstOut, lastOut), both multiples of 8.
void packVaeConvWeights(const float* weights_OCTHW, int inChannels, int outChannels, int timeTaps, int lanes,
                        float* packed, int firstOut, int lastOut);

/// The convolution in independent tasks, each a patch of the picture over all frames. Each thread calls
/// runVaeConv with one counter shared by all, which starts at 0, and a scratch of its own, aligned to 64
/// bytes.
std::int64_t vaeConvTasks(const VaeConv& conv);
std::size_t vaeConvScratchFloats(const VaeConv& conv);
void runVaeConv(const VaeConv& conv, std::atomic<std::int64_t>& nextTask, float* scratch);

}  // namespace reelgrid::kernels

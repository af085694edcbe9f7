#pragma once

// Linear layers in integers: weights in int8 with a scale for each block of 128 outputs by 128 inputs, inputs
// quantised on the way with a scale for each block of 128 rows by 128 columns. Source: TurboDiffusion,
// ops/quant/quant.hpp and ops/gemm (W8A8).

#include <cstdint>

#include "kernels/cpu/transformer/fused.h"

namespace reelgrid::kernels::transformer {

/// Rows and columns of a block.
inline constexpr std::int64_t kInt8Block = 128;

/// A weight as products read it.
struct Int8Weight {
    std::int64_t outputs = 0, inputs = 0;
    const std::uint8_t* packed = nullptr;  ///< packInt8's
    /// [⌈inputs / 128⌉][int8PaddedOutputs(outputs)], so that outputs of different blocks may be neighbours.
    const float* scales = nullptr;
};

/// Outputs are padded to whole panels, inputs to whole blocks.
std::int64_t int8PaddedOutputs(std::int64_t outputs);
/// Of packInt8's memory.
std::int64_t int8PackedBytes(std::int64_t outputs, std::int64_t inputs);
/// integers: [outputs, inputs].
void packInt8(std::int64_t outputs, std::int64_t inputs, const std::int8_t* integers, std::uint8_t* packed);

/// integer = x · 128 / m, m the block's largest |x| (at least 1e-8), to the nearest, ties to even, at most
/// 127; scale = m / 128. x: [rows, columns]; integers likewise; scales: [⌈rows / 128⌉, ⌈columns / 128⌉]. A
/// block with a NaN or an infinity has the scale NaN.
void quantiseInt8(std::int64_t rows, std::int64_t columns, const float* x, std::int8_t* integers,
                  float* scales);

/// y = x Wᵀ + bias, x: [rows, inputs], y: [rows, outputs], bias fp32 [outputs] or null. The integers'
/// products are exact in each block and summed over the blocks in fp32; y is rounded once.
void int8Linear(const Int8Weight& weight, std::int64_t rows, const BFloat16* x, const float* bias,
                BFloat16* y);
void int8Linear(const Int8Weight& weight, std::int64_t rows, const float* x, const float* bias, float* y);

}  // namespace reelgrid::kernels::transformer

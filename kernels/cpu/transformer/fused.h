#pragma once

// What lies between a diffusion transformer's matrix products, each as one pass over memory, on all cores.
// Rows are tokens; a row's channels are contiguous. Arithmetic is fp32, outputs are rounded once, to nearest
// even. None of these checks its pointers: the extents given must be there. All throw as
// selectedInstructionSet() does when REELGRID_CPU asks for what isn't there.

#include <cstdint>

namespace reelgrid::kernels::transformer {

/// bfloat16 as it lies in memory.
struct BFloat16 {
    std::uint16_t bits;
};

struct Rows {
    std::int64_t count = 0;
    std::int64_t channels = 0;
    float eps = 0;
};

/// x += y gate (when y isn't null; a null gate is 1), then out = layerNorm(x) weight + bias (when out isn't
/// null). x, y, out: [count, channels], not overlapping; gate, weight, bias: [channels].
void addThenNorm(const Rows& rows, float* x, const BFloat16* y, const float* gate, const float* weight,
                 const float* bias, BFloat16* out);
void addThenNorm(const Rows& rows, float* x, const float* y, const float* gate, const float* weight,
                 const float* bias, float* out);

/// The angles of each token's pairs: cos and sin are [tokens, headDim / 2]; row r is token r % tokens.
struct Rotation {
    const float* cos = nullptr;  ///< null: no rotation
    const float* sin = nullptr;
    std::int64_t tokens = 0;
    std::int64_t headDim = 0;
};

/// x = rmsNorm(x) weight over all channels, then each head's interleaved pairs (2p, 2p + 1) are rotated; in
/// place. Row r begins at x + r rowStride. channels is a multiple of headDim, headDim even.
void rmsNormRotate(const Rows& rows, BFloat16* x, std::int64_t rowStride, const float* weight,
                   const Rotation& rotation);
void rmsNormRotate(const Rows& rows, float* x, std::int64_t rowStride, const float* weight,
                   const Rotation& rotation);

/// How each token's interleaved pairs (2p, 2p + 1) are turned, the same in every head: the cosine and the
/// sine of each pair, [tokens - first, headDim / 2, 2]. Row r is token r % tokens; those before `first` are
/// not.
struct PairRotation {
    const float* cosSin = nullptr;  ///< null: no rotation
    std::int64_t tokens = 0;
    std::int64_t first = 0;
};

/// x = layerNorm(x) weight + bias over the channels of each head by itself, then the rotation; in place. Row
/// r begins at x + r rowStride. weight, bias: [headDim], even, of which channels is a multiple.
void headNormRotate(const Rows& rows, BFloat16* x, std::int64_t rowStride, std::int64_t headDim,
                    const float* weight, const float* bias, const PairRotation& rotation);
void headNormRotate(const Rows& rows, float* x, std::int64_t rowStride, std::int64_t headDim,
                    const float* weight, const float* bias, const PairRotation& rotation);

/// x = gelu(x), tanh form, in place; absolute error below 1e-6 (1 + |x|) before rounding.
void geluTanh(BFloat16* x, std::int64_t count);
void geluTanh(float* x, std::int64_t count);

}  // namespace reelgrid::kernels::transformer

#pragma once

// What the scheduler (attention_cpu.cpp, ordinary flags) asks of an instruction set's source (own flags).
//
// A tile is a group of queries that sit in vector lanes: scores are computed transposed, Sᵀ = K Qᵀ, so that
// maxima, sums and rescaling of the online softmax are plain element-wise operations and no row is ever
// reduced across lanes. Operands are made of 32-bit units, the grain of every dot-product instruction: one
// float, two bf16, two int16 or four int8.

#include <cstddef>
#include <cstdint>

#include "kernels/attention/problem.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::kernels::cpu {

enum class Method { Flash, Flash3, Sage1 };

/// Keys in a packed block. 64 is sagev1's BLKK, and a block of one head's keys (16 KB at d128) fits the L1
/// cache.
constexpr int kBlockKeys = 64;
/// sagev1's BLKQ: queries that share a scale.
constexpr int kScaleQueries = 128;
constexpr int kMaxHeadDim = 256;
/// Head dims are padded with zeros to this: whole registers at the output, whole units in int8.
constexpr int kDimGrain = 16;
constexpr float kLog2E = 1.44269504088896340736F;

/// Up to kBlockKeys consecutive keys of one head, to be packed.
struct PackArgs {
    DataType type = DataType::Float32;
    const void* rows = nullptr;
    std::int64_t rowStride = 0;  ///< elements
    int count = 0;
    int dim = 0;
    int paddedDim = 0;
    std::uint32_t* units = nullptr;  ///< a whole block is written, missing keys as zeros
    float* scratch = nullptr;        ///< kPackScratch floats
    // Sage1 keys only:
    const float* mean = nullptr;   ///< [paddedDim], subtracted
    float* scale = nullptr;        ///< one for the block
    std::int32_t* bias = nullptr;  ///< [kBlockKeys] what the dot product starts from
};
constexpr std::size_t kPackScratch = static_cast<std::size_t>(kBlockKeys + 2 * 16) * kMaxHeadDim;

/// One tile of queries of one head against all keys of its head.
struct TileArgs {
    DataType type = DataType::Float32;
    const void* q = nullptr;
    std::int64_t qStride = 0;
    void* out = nullptr;
    std::int64_t outStride = 0;
    float* lse = nullptr;  ///< [count] or null
    int count = 0;         ///< queries in this tile
    int dim = 0;
    int paddedDim = 0;
    std::int64_t firstQuery = 0;
    std::int64_t keys = 0;
    bool causal = false;
    std::int64_t causalOffset = 0;  ///< Nk − Nq
    float scale = 1;
    const std::uint32_t* packedKeys = nullptr;
    const std::uint32_t* packedValues = nullptr;
    float* scratch = nullptr;  ///< kTileScratch floats, 64-byte aligned
    // Sage1 only:
    const float* queryScales = nullptr;     ///< one per kScaleQueries queries of the head
    const float* keyScales = nullptr;       ///< one per block of the head
    const std::int32_t* keyBias = nullptr;  ///< [blocks · kBlockKeys]
    const float* keyMean = nullptr;         ///< [paddedDim], for the log-sum-exp
};
constexpr int kMaxTileQueries = 64;
/// Keys per turn of the online softmax are at most this many (kBlockKeys times the turn's blocks).
constexpr int kMaxTurnKeys = 256;
constexpr std::size_t kTileScratch =
    static_cast<std::size_t>(kMaxTileQueries) * (2 * kMaxHeadDim + 2 * kMaxTurnKeys) +
    static_cast<std::size_t>(2 * 16 + 1) * kMaxHeadDim + 4 * kMaxTileQueries;

struct TileKernels {
    int tileQueries = 0;  ///< most queries of a tile
    int dimsPerUnit = 0;  ///< of Q and K
    int keysPerUnit = 0;  ///< of P and V
    void (*packKeys)(const PackArgs&) = nullptr;
    void (*packValues)(const PackArgs&) = nullptr;
    void (*attend)(const TileArgs&) = nullptr;
    /// Sage1: adds up the rows into sums[paddedDim].
    void (*sumRows)(const PackArgs&, float* sums) = nullptr;
    /// Sage1: the largest |factor · x| of the rows over 127; NaN when a row has one.
    float (*scaleOfRows)(const PackArgs&, float factor) = nullptr;
};

TileKernels portableKernels(Method method, DataType type);
TileKernels avx2Kernels(Method method, DataType type);
TileKernels avx512Kernels(Method method, DataType type);

}  // namespace reelgrid::kernels::cpu

#pragma once

// What a call (attention_cpu.cpp, ordinary flags) asks of an instruction set's source (own flags).
//
// A tile is a group of queries that sit in vector lanes: scores are computed transposed, Sᵀ = K Qᵀ, so that
// maxima, sums and rescaling of the online softmax are plain element-wise operations and no row is ever
// reduced across lanes. Operands are made of 32-bit units, the grain of every dot-product instruction: one
// float, two bf16, two int16 or four int8.

#include <cstddef>
#include <cstdint>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"
#include "kernels/cpu/attention/attention_cpu.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::kernels::cpu {

/// Keys in a packed block: a block of one head's keys (16 KB at d128 in bf16) fits the L1 cache.
constexpr int kBlockKeys = 64;
constexpr float kLog2E = 1.44269504088896340736F;
constexpr float kLargestE4m3 = 448.0F;
constexpr float kLargestInt8 = 127.0F;

/// Consecutive rows (tokens) of one head.
struct RowArgs {
    DataType type = DataType::Float32;
    const void* rows = nullptr;
    std::int64_t rowStride = 0;  ///< elements
    int count = 0;
    int dim = 0;
    int paddedDim = 0;
    float* scratch = nullptr;  ///< kPackScratch floats
    /// [paddedDim], subtracted from every row; null where the method doesn't centre them.
    const float* mean = nullptr;
    const float* signs = nullptr;  ///< [paddedDim] of ±1, for the rotation of fav3_fp8
};

/// Up to kBlockKeys rows of K or V, to be packed.
struct PackArgs : RowArgs {
    /// Room for a whole block. Missing rows are written as zeros up to the next panel of the kernel's rows,
    /// which is as far as the products read.
    std::uint32_t* units = nullptr;
    /// K: one per CallPlan::keyGrain keys. V: one per channel [paddedDim]. Null for methods without scales.
    const float* scales = nullptr;
    std::int32_t* dotStarts = nullptr;  ///< int8 keys: [kBlockKeys] what the dot product starts from
};
constexpr std::size_t kPackScratch = static_cast<std::size_t>(kBlockKeys + 2 * 16) * kMaxHeadDim;

/// sla's linear branch over one head (linear_branch.h): o = φ(q) · (φ(k)ᵀ v) / (1e-5 + φ(q) · Σ φ(k)), then
/// the projection.
struct LinearOperands {
    const std::uint32_t* values = nullptr;      ///< (φ(k)ᵀ v)ᵀ as packMatrix leaves it
    const float* keySum = nullptr;              ///< Σ φ(k), [paddedDim]
    const std::uint32_t* projection = nullptr;  ///< as packMatrix leaves it
    const float* bias = nullptr;                ///< [dim] or null
};

/// One tile of queries of one head against all keys of its head, or against the blocks of `blocks`.
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
    /// Optional [whole blocks of keys], in the units of Sᵀ: 1 / scale for plain scores, log2(e) for scaled
    /// ones.
    const float* scoreBias = nullptr;
    const std::uint32_t* packedKeys = nullptr;
    const std::uint32_t* packedValues = nullptr;
    float* scratch = nullptr;  ///< TileKernels::scratchFloats, 64-byte aligned
    // Quantised methods:
    int scaleQueries = 1;                     ///< queries that share a scale
    const float* queryScales = nullptr;       ///< one per scaleQueries queries of the head
    const float* keyScales = nullptr;         ///< one per CallPlan::keyGrain keys of the head
    const std::int32_t* dotStarts = nullptr;  ///< [blocks · kBlockKeys], as PackArgs has them
    const float* keyMean = nullptr;           ///< [paddedDim], for the log-sum-exp; null without smoothing
    const float* valueScales = nullptr;       ///< [paddedDim]
    const float* signs = nullptr;             ///< [paddedDim] of ±1
    // sla and sagesla:
    const std::int32_t* blocks = nullptr;  ///< key blocks to attend to, ascending
    int blockCount = 0;
    const LinearOperands* linear = nullptr;  ///< null without a projection
    /// sparge: turns whose scores all lie further below the rows' largest, in powers of two, are left out.
    float faint = 0;
};
constexpr int kMaxTileQueries = 64;
/// Keys per turn of the online softmax are at most this many (kBlockKeys times the turn's blocks).
constexpr int kMaxTurnKeys = 192;
/// Floats of attend()'s scratch for the work of a turn (Sᵀ, P, rows being packed), and for the tile (Q, Oᵀ).
constexpr std::size_t kSharedScratch = static_cast<std::size_t>(kMaxTileQueries) * 2 * kMaxTurnKeys +
                                       static_cast<std::size_t>(16 + 1) * kMaxHeadDim;
constexpr std::size_t kTileScratch = static_cast<std::size_t>(kMaxTileQueries) * (2 * kMaxHeadDim + 3);

/// All queries of one head against keys that are not packed: `count` queries, `keys` keys, at most
/// kShortTokens each; dim is a multiple of 8.
struct ShortArgs : TileArgs {
    const void* k = nullptr;
    const void* v = nullptr;
    std::int64_t kStride = 0;  ///< elements
    std::int64_t vStride = 0;
};
constexpr int kShortTokens = kBlockKeys;
/// Floats of attendShort()'s scratch: rows of queries, queries, S, P, V and K.
constexpr std::size_t kShortScratch = static_cast<std::size_t>(kMaxHeadDim + 16) * 16 +
                                      static_cast<std::size_t>(kMaxHeadDim) * 32 +
                                      static_cast<std::size_t>(kBlockKeys) * (64 + 2 * kMaxHeadDim + 16);

/// A run of keys whose part of φ(k)ᵀ v is to be summed.
struct KeyValueArgs : RowArgs {
    const std::uint32_t* packedValues = nullptr;  ///< from the run's first block on
    float* products = nullptr;  ///< (φ(k)ᵀ v)ᵀ: [paddedDim of v][paddedDim of k], overwritten
    float* keySum = nullptr;    ///< Σ φ(k): [paddedDim], overwritten
};

struct TileKernels {
    /// The lanes that compute the tiles: AMX's sources take AVX-512's for what tiles can't multiply.
    InstructionSet instructionSet = InstructionSet::Portable;
    int tileQueries = 0;            ///< most queries of one attend()
    int oneTileQueries = 0;         ///< those of one of its tiles
    int lanes = 0;                  ///< queries in a register
    std::size_t scratchFloats = 0;  ///< for attend(); the others need kPackScratch
    int dimsPerUnit = 0;            ///< of Q and K
    int keysPerUnit = 0;            ///< of P and V
    int dimGrain = 0;               ///< head dims are padded with zeros to a multiple of this
    void (*packKeys)(const PackArgs&) = nullptr;
    void (*packValues)(const PackArgs&) = nullptr;
    void (*attend)(const TileArgs&) = nullptr;
    /// Exact methods: a whole head of a short sequence. Null where there is none.
    void (*attendShort)(const ShortArgs&) = nullptr;
    /// Adds up the rows into sums[paddedDim].
    void (*sumRows)(const RowArgs&, float* sums) = nullptr;
    /// The same of the rows less args.mean, each divided by its length; a row of zeros counts as it is.
    void (*sumDirections)(const RowArgs&, float* sums) = nullptr;
    /// The largest |x| of each channel into maxima[paddedDim].
    void (*channelMaxima)(const RowArgs&, float* maxima) = nullptr;
    /// Quantised methods: the scale that the rows share once they are centred or rotated; NaN when a row has
    /// a NaN or an infinity. `factor` is 1 for keys and softmax scale · log2(e) for queries.
    float (*scaleOfRows)(const RowArgs&, float factor) = nullptr;
    // sla and sagesla:
    void (*sumKeyValues)(const KeyValueArgs&) = nullptr;
    /// A float [rows][paddedDim] matrix of up to kBlockKeys rows in the layout of LinearOperands.
    void (*packMatrix)(const PackArgs&) = nullptr;
    int matrixDimsPerUnit = 0;
    /// V for sumKeyValues, where packValues' is quantised; else null.
    void (*packLinearValues)(const PackArgs&) = nullptr;
    int linearKeysPerUnit = 0;
};

/// Those of `set`, which the machine must have.
TileKernels tileKernelsFor(InstructionSet set, Method method, DataType type);

TileKernels portableKernels(Method method, DataType type);
TileKernels avx2Kernels(Method method, DataType type);
TileKernels avx512Kernels(Method method, DataType type);
TileKernels amxKernels(Method method, DataType type);

}  // namespace reelgrid::kernels::cpu

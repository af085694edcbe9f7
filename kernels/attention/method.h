#pragma once

// What the methods are, on every device: which rows share a scale, what is centred, rotated or left out. How
// a device computes them is its own.

namespace reelgrid::kernels {

enum class Method {
    Flash,
    Flash3,
    Sage1,
    Sage2,
    Flash3Sage,
    Flash3Fp8,
    SparseLinear,
    SageSparseLinear,
    Sparge,
    SlidingTile,
    Radial
};

/// Rows of Q and of K that share a scale.
struct ScaleBlocks {
    int queries = 0;
    int keys = 0;
};

/// How many scales the rows of such a block have, 1 or one for each thread that holds them in a product of
/// tensor cores: row n belongs to scale (n mod 8) · count / 8.
struct ScaleClasses {
    int queries = 1;
    int keys = 1;
};
constexpr int kClassRows = 8;

/// Blocks of queries that attend to some of the blocks of keys; 0 for dense methods.
struct SparseBlocks {
    int queries = 0;
    int keys = 0;
};

/// How a sparse method chooses the blocks of keys for a block of queries.
enum class BlockMap {
    TopK,       ///< so many of those whose mean key scores highest
    Predicted,  ///< those that hold most of the weight by their means, and all that their mean doesn't stand
                ///< for
    Tiles,      ///< those whose tokens lie near in the clip, in windows of tiles
    Radial,     ///< likewise, in windows that narrow with the frames between them
};

/// Every block of keys is a multiple of it: so many keys in a row never mix scales.
constexpr int kScaleGrain = 32;

/// Which elements of V share an e4m3 scale.
enum class ValueScales { None, PerChannel, PerHead };

struct MethodTraits {
    ScaleBlocks scaleBlocks{};  ///< 0 for methods without scales
    ScaleClasses scaleClasses{};
    ValueScales valueScales = ValueScales::None;
    float largestValue = 448;  ///< e4m3 that the largest |V| of those becomes
    bool centresKeys = false;  ///< K minus its mean over the sequence
    bool rotates = false;      ///< Q and K times a Hadamard matrix with random signs (rotation_signs.h)
    SparseBlocks sparse{};
    BlockMap map = BlockMap::TopK;

    [[nodiscard]] constexpr bool isSparse() const { return sparse.keys > 0; }
    /// Whether its map is of where tokens lie in the clip.
    [[nodiscard]] constexpr bool needsGrid() const {
        return map == BlockMap::Tiles || map == BlockMap::Radial;
    }
    [[nodiscard]] constexpr bool hasClasses() const { return scaleClasses.keys > 1; }
};

/// sla's BLKQ and BLKK as inference uses them.
constexpr int kSparseQueries = 128;
constexpr int kSparseKeys = 64;

constexpr MethodTraits traitsOf(Method method, int headDim) {
    switch (method) {
        case Method::Sage1:  // BLKQ, BLKK of SageAttention 1
            return {.scaleBlocks = {128, 64}, .centresKeys = true};
        case Method::Sage2:  // WARPQ, WARPK and the threads' rows of SageAttention 2
            return {.scaleBlocks = {32, 64},
                    .scaleClasses = {8, 4},
                    .valueScales = ValueScales::PerChannel,
                    .centresKeys = true};
        case Method::Flash3Sage:  // BLOCK_M, BLOCK_N of aiter's kernel
            return {.scaleBlocks = {256, 128}, .valueScales = ValueScales::PerChannel, .centresKeys = true};
        case Method::Flash3Fp8:  // FlashAttention-3's own tiles, as its paper scales them
            return {.scaleBlocks = headDim <= 64 ? ScaleBlocks{192, 160} : ScaleBlocks{128, 224},
                    .valueScales = ValueScales::PerHead,
                    .rotates = true};
        case Method::SparseLinear:
            return {.sparse = {kSparseQueries, kSparseKeys}};
        case Method::SageSparseLinear:  // as upstream has it on Hopper; V below 2.25 is for other GPUs' fp16
                                        // sums
            return {.scaleBlocks = {64, 128},
                    .valueScales = ValueScales::PerChannel,
                    .largestValue = 2.25F,
                    .centresKeys = true,
                    .sparse = {64, 128}};
        case Method::Sparge:  // SpargeAttention's blocks
            return {.sparse = {kSparseQueries, kSparseKeys}, .map = BlockMap::Predicted};
        case Method::SlidingTile:
            return {.sparse = {kSparseQueries, kSparseKeys}, .map = BlockMap::Tiles};
        case Method::Radial:
            return {.sparse = {kSparseQueries, kSparseKeys}, .map = BlockMap::Radial};
        case Method::Flash:
        case Method::Flash3:
            break;
    }
    return {};
}

}  // namespace reelgrid::kernels

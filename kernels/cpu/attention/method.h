#pragma once

namespace reelgrid::kernels::cpu {

enum class Method { Flash, Flash3, Sage1, Flash3Sage, Flash3Fp8, SparseLinear };

/// Rows of Q and of K that share a scale.
struct ScaleBlocks {
    int queries = 0;
    int keys = 0;
};

/// Scales of different rows never mix below this many keys: every block size is a multiple of it.
constexpr int kScaleGrain = 32;

/// sagev1: BLKQ, BLKK of SageAttention 1. fav3_sage: BLOCK_M, BLOCK_N of aiter's kernel. fav3_fp8: FA3's own
/// tiles, as its paper scales them. 0 for methods without scales.
constexpr ScaleBlocks scaleBlocksOf(Method method, int headDim) {
    switch (method) {
        case Method::Sage1:
            return {128, 64};
        case Method::Flash3Sage:
            return {256, 128};
        case Method::Flash3Fp8:
            return headDim <= 64 ? ScaleBlocks{192, 160} : ScaleBlocks{128, 224};
        case Method::Flash:
        case Method::Flash3:
        case Method::SparseLinear:
            break;
    }
    return {};
}

constexpr bool centresKeys(Method method) {
    return method == Method::Sage1 || method == Method::Flash3Sage;
}

/// Which elements of V share an e4m3 scale.
enum class ValueScales { None, PerChannel, PerHead };

constexpr ValueScales valueScalesOf(Method method) {
    if (method == Method::Flash3Sage) return ValueScales::PerChannel;
    return method == Method::Flash3Fp8 ? ValueScales::PerHead : ValueScales::None;
}

/// sla's BLKQ and BLKK as inference uses them.
constexpr int kSparseQueries = 128;
constexpr int kSparseKeys = 64;

}  // namespace reelgrid::kernels::cpu

#pragma once

// Rows of int8 (or e4m3) in fav2's tiles. They lie as core matrices, so that a tile of them is one run of
// bytes.

#include "kernels/cuda/attention/mma.cuh"
#include "kernels/cuda/attention/quantise/int8_scores.cuh"

namespace reelgrid::kernels::cuda::device {

template <class C>
struct Int8Tiles {
    template <int kBytes, class Byte>
    __device__ static void copyRun(std::uint32_t to, const Byte* from) {
#pragma unroll
        for (int i = 0; i < kBytes / (16 * C::kThreads); ++i) {
            const int place = 16 * (i * C::kThreads + static_cast<int>(threadIdx.x));
            ampere::copy16(to + place, from + place);
        }
    }

    /// The products of the warp's 32 queries with the keys: int8 and their exact sums, or e4m3 and fp32 ones.
    template <class Sum, int kScores>
    __device__ static void sumProducts(Sum (&sums)[2][kScores], std::uint32_t queries, std::uint32_t keys,
                                       int warp, int lane) {
        using namespace ampere;
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (Sum& sum : sums[m]) sum = 0;
        const auto placeOf = [](int row, int column) {  // of a core matrix's row of 16 bytes
            return row / 8 * (8 * C::kHeadDim) + column * 128 + row % 8 * 16;
        };
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 32; ++step) {
            std::uint32_t q[2][4];
#pragma unroll
            for (int m = 0; m < 2; ++m)
                loadMatrices(q[m], queries + placeOf(32 * warp + 16 * m + lane % 16, 2 * step + lane / 16));
#pragma unroll
            for (int n = 0; n < kScores / 8; ++n) {
                std::uint32_t k[4];
                loadMatrices(k, keys + placeOf(16 * n + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
#pragma unroll
                for (int m = 0; m < 2; ++m) {
                    multiplyBytes(&sums[m][8 * n], q[m], k[0], k[1]);
                    multiplyBytes(&sums[m][8 * n + 4], q[m], k[2], k[3]);
                }
            }
        }
    }

    /// Scores without their scale, of the warp's 32 queries.
    template <int kScores>
    __device__ static void multiply(float (&scores)[2][kScores], std::uint32_t queries, std::uint32_t keys,
                                    int warp, int lane) {
        std::int32_t sums[2][kScores];
        sumProducts(sums, queries, keys, warp, lane);
        using Scores = Int8Scores<kScores>;
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (int i = 0; i < kScores; ++i) scores[m][i] = Scores::floatOf(sums[m][i]) - Scores::kOffset;
    }
};

}  // namespace reelgrid::kernels::cuda::device

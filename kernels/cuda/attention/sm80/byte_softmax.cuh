#pragma once

// The online softmax of scores that come with a factor for each 32 columns, and weights bound for e4m3: the
// two rows that a thread shares with the other three of its quad, as OnlineSoftmax has it.

#include "kernels/cuda/attention/e4m3.cuh"
#include "kernels/cuda/attention/online_softmax.cuh"

namespace reelgrid::kernels::cuda::device {

/// Columns of a tile that share a factor: a thread has sixteen of its scores there.
constexpr int kColumnsOfFactor = 32;

/// How far weights use e4m3's range, which ends at 448, 2^8.8. Weights are 2^(score − base + offset).
struct WeightRange {
    float offset;  ///< of the method (weightOffsetOf())
    float slack;   ///< by which the largest score may pass the base
    float room;    ///< left above the largest score when the base rises

    /// A base that seldom rises: it may be passed as far as e4m3 goes, or begins as far above.
    static WeightRange of(Method method) {
        const float offset = weightOffsetOf(method);
        return offset == 0 ? WeightRange{offset, 8.0F, 0.0F} : WeightRange{offset, 0.0F, 4.0F};
    }
};

template <int kScores>
struct ByteSoftmax {
    static constexpr int kFactors = kScores / 16;

    WeightRange range;
    float top[2] = {kMinusInfinity, kMinusInfinity};  ///< the base; −inf until a key was seen
    float sum[2] = {0, 0};                            ///< of this thread's columns, before e4m3
    float shift[2] = {0, 0};                          ///< added to the log-sum-exp

    /// The largest of this thread's scores in base 2; whether they ask for a new base.
    __device__ bool isHigh(const float (&scores)[kScores], const float (&factors)[kFactors],
                           float (&here)[2]) const {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            here[row] = kMinusInfinity;
#pragma unroll
            for (int group = 0; group < kFactors; ++group) {
                float most = kMinusInfinity;
#pragma unroll
                for (int i = 16 * group + 2 * row; i < 16 * group + 16; i += 4)
                    most = fmaxf(most, fmaxf(scores[i], scores[i + 1]));
                here[row] = fmaxf(here[row], most * factors[group]);
            }
        }
        return here[0] > top[0] + range.slack || here[1] > top[1] + range.slack;
    }

    /// Takes a new base: outputs so far must be multiplied by `factor`. For whole warps.
    __device__ void rise(const float (&here)[2], float (&factor)[2]) {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            const float most = quadMax(here[row]);
            const float risen = most > top[row] ? most + range.room : top[row];
            factor[row] = risen == top[row] ? 1.0F : powerOfTwo(top[row] - risen);
            sum[row] *= factor[row];
            top[row] = risen;
        }
    }

    /// The weights of the scores as the tensor cores take them (packWeights()); their sums are added.
    __device__ void weigh(const float (&scores)[kScores], const float (&factors)[kFactors],
                          std::uint32_t (&weights)[kFactors][4]) {
        const float base[2] = {(top[0] == kMinusInfinity ? 0.0F : top[0]) - range.offset,
                               (top[1] == kMinusInfinity ? 0.0F : top[1]) - range.offset};
#pragma unroll
        for (int group = 0; group < kFactors; ++group) {
            float w[16], chains[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                const int row = i / 2 % 2;
                w[i] = powerOfTwo(fmaf(scores[16 * group + i], factors[group], -base[row]));
                chains[row][i % 2] += w[i];
            }
            packWeights(weights[group], w);
#pragma unroll
            for (int row = 0; row < 2; ++row) sum[row] += chains[row][0] + chains[row][1];
        }
    }

    /// What outputs are multiplied by at the end; `row`'s sum becomes that of the whole row.
    __device__ float finish(int row) {
        sum[row] = quadSum(sum[row]);
        return sum[row] == 0.0F ? 0.0F : 1.0F / sum[row];
    }
    /// Natural logarithm of the sum of the exponentials; after finish().
    __device__ float logSumExp(int row) const {
        constexpr float kLn2 = 0.6931471805599453F;
        return sum[row] == 0.0F ? kMinusInfinity
                                : (top[row] - range.offset + log2f(sum[row])) * kLn2 + shift[row];
    }
};

}  // namespace reelgrid::kernels::cuda::device

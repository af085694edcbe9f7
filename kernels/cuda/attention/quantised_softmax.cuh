#pragma once

// The online softmax of scores that come with factors, weights bound for e4m3: the two rows that a thread
// shares with the other three of its quad, as OnlineSoftmax has it.

#include "kernels/cuda/attention/online_softmax.cuh"
#include "kernels/cuda/attention/wgmma_bytes.cuh"

namespace reelgrid::kernels::cuda {

/// Columns of a tile that share a factor: a thread has sixteen of its scores there.
constexpr int kFactorColumns = 32;

/// Weights are 2^(score − base + kOffset).
template <int kOffset>
struct QuantisedSoftmax {
    /// By which the largest score may pass the base: e4m3 ends at 448, 2^8.8. Not more where there is room,
    /// since e4m3 holds the largest weight of a row exactly when it is the base.
    static constexpr float kSlack = 0.75F;

    float top[2] = {kMinusInfinity, kMinusInfinity};  ///< the base; −inf until a key was seen
    float sum[2] = {0, 0};                            ///< of this thread's columns, before e4m3
    float shift[2] = {0, 0};                          ///< added to the log-sum-exp

    /// The largest of this thread's scores; whether they ask for a new base.
    template <int kCount>
    __device__ bool isHigh(const float (&scores)[kCount], const float (&factors)[kCount / 16],
                           float (&here)[2]) const {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            here[row] = kMinusInfinity;
#pragma unroll
            for (int group = 0; group < kCount / 16; ++group) {
                const float* s = scores + 16 * group + 2 * row;
                const float most = fmaxf(fmaxf(fmaxf(s[0], s[1]), fmaxf(s[4], s[5])),
                                         fmaxf(fmaxf(s[8], s[9]), fmaxf(s[12], s[13])));
                here[row] = fmaxf(here[row], most * factors[group]);
            }
        }
        return here[0] > top[0] + kSlack || here[1] > top[1] + kSlack;
    }

    /// Takes a new base: sums of products so far must be multiplied by `factor`. For whole warps.
    __device__ void rise(const float (&here)[2], float (&factor)[2]) {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            const float risen = fmaxf(top[row], quadMax(here[row]));
            factor[row] = risen == top[row] ? 1.0F : powerOfTwo(top[row] - risen);
            sum[row] *= factor[row];
            top[row] = risen;
        }
    }

    /// The weights of the scores, as the tensor cores take them (packWeights()).
    template <int kCount>
    __device__ void weigh(const float (&scores)[kCount], const float (&factors)[kCount / 16],
                          std::uint32_t (&weights)[kCount / 4]) {
        const float base[2] = {(top[0] == kMinusInfinity ? 0.0F : top[0]) - kOffset,
                               (top[1] == kMinusInfinity ? 0.0F : top[1]) - kOffset};
        float chains[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
        for (int group = 0; group < kCount / 16; ++group) {
            float w[16];
#pragma unroll
            for (int i = 0; i < 16; ++i)
                w[i] = powerOfTwo(fmaf(scores[16 * group + i], factors[group], -base[i / 2 % 2]));
#pragma unroll
            for (int i = 0; i < 16; ++i) chains[i / 2 % 2][i % 2] += w[i];
            hopper::packWeights(weights + 4 * group, w);
        }
#pragma unroll
        for (int row = 0; row < 2; ++row) sum[row] += chains[row][0] + chains[row][1];
    }

    /// What outputs are multiplied by at the end; `row`'s sum becomes that of the whole row.
    __device__ float finish(int row) {
        sum[row] = quadSum(sum[row]);
        return sum[row] == 0.0F ? 0.0F : 1.0F / sum[row];
    }
    /// Natural logarithm of the sum of the exponentials; after finish().
    __device__ float logSumExp(int row) const {
        constexpr float kLn2 = 0.6931471805599453F;
        return sum[row] == 0.0F ? kMinusInfinity : (top[row] - kOffset + log2f(sum[row])) * kLn2 + shift[row];
    }
};

}  // namespace reelgrid::kernels::cuda

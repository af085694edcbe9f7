#pragma once

// The online softmax of scores that come with factors, weights bound for e4m3: the two rows that a thread
// shares with the other three of its quad, as OnlineSoftmax has it.

#include "kernels/cuda/attention/e4m3.cuh"
#include "kernels/cuda/attention/online_softmax.cuh"

namespace reelgrid::kernels::cuda::device {

/// Columns of a tile that share a factor: a thread has sixteen of its scores there.
constexpr int kFactorColumns = 32;

/// Weights are 2^(score − base + offset), the offset being C::kWeightOffset. The base may be above the
/// largest score so far, or lag behind it, by some powers of two: a new one holds up the four warps that
/// multiply together, so it must be rare. Where the largest score isn't looked for, sums of few weights tell
/// whether one of them is too large.
template <class C, int kScores>
struct QuantisedSoftmax {
    static constexpr float kOffset = C::kWeightOffset;
    static constexpr int kChains = 4;                                           ///< sums of a row
    static constexpr float kAlike = static_cast<float>(kScores / 2 / kChains);  ///< weights of each
    /// Left above the largest score when a base rises; with an offset, since e4m3 ends at 448, 2^8.8.
    static constexpr int kRoom = kOffset == 0 ? 0 : 4;
    /// A sum that asks for a new base: none of scores that are all alike.
    static constexpr float kMost = kOffset == 0 ? 8 * kAlike : 448.0F;
    /// At least 2^(kOffset − kRoom).
    static constexpr float kRaised = kOffset == 0 ? 1.0F : 32.0F;
    static_assert(kOffset < 9 && kMost <= 448 && kAlike * kRaised < kMost);

    float top[2] = {kMinusInfinity, kMinusInfinity};  ///< the base; −inf until a key was seen
    float sum[2] = {0, 0};                            ///< of this thread's columns, before e4m3
    float shift[2] = {0, 0};                          ///< added to the log-sum-exp

    /// The largest of this thread's scores in base 2; whether they ask for a new base.
    __device__ bool isHigh(const float (&scores)[kScores], float (&here)[2]) const {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            here[row] = kMinusInfinity;
#pragma unroll
            for (int i = 2 * row; i < kScores; i += 4)
                here[row] = fmaxf(here[row], fmaxf(scores[i], scores[i + 1]));
        }
        return here[0] > top[0] - kRoom || here[1] > top[1] - kRoom;
    }

    /// Takes a new base: sums of products so far must be multiplied by `factor`. For whole warps.
    __device__ void rise(const float (&here)[2], float (&factor)[2]) {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            const float risen = fmaxf(top[row], quadMax(here[row]) + kRoom);
            factor[row] = risen == top[row] ? 1.0F : powerOfTwo(top[row] - risen);
            sum[row] *= factor[row];
            top[row] = risen;
        }
    }

    /// The weights of the scores, as the tensor cores take them (packWeights()), and their sums. Whether the
    /// base is too low for them, or there is none yet.
    template <class Score>
    __device__ bool weigh(const Score (&scores)[kScores], const float (&factors)[kScores / 16],
                          std::uint32_t (&weights)[kScores / 4], float (&added)[2]) const {
        const float base[2] = {(top[0] == kMinusInfinity ? 0.0F : top[0]) - kOffset,
                               (top[1] == kMinusInfinity ? 0.0F : top[1]) - kOffset};
        float chains[2][kChains];
#pragma unroll
        for (int group = 0; group < kScores / 16; ++group) {
            float w[16];
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                w[i] = powerOfTwo(
                    fmaf(static_cast<float>(scores[16 * group + i]), factors[group], -base[i / 2 % 2]));
                float& chain = chains[i / 2 % 2][i / 4 % 2 * 2 + i % 2];
                chain = group == 0 && i < 8 ? w[i] : chain + w[i];
            }
            packWeights(weights + 4 * group, w);
        }
        float most = 0;
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            const auto& c = chains[row];
            most = fmaxf(most, fmaxf(fmaxf(c[0], c[1]), fmaxf(c[2], c[3])));
            added[row] = (c[0] + c[1]) + (c[2] + c[3]);
        }
        return most > kMost || top[0] == kMinusInfinity || top[1] == kMinusInfinity;
    }
    __device__ void add(const float (&added)[2]) {
#pragma unroll
        for (int row = 0; row < 2; ++row) sum[row] += added[row];
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

}  // namespace reelgrid::kernels::cuda::device

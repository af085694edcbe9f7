#pragma once

// The online softmax, in base 2, of the two rows that a thread shares with the other three of its quad.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace reelgrid::kernels::cuda::device {

constexpr float kMinusInfinity = -__builtin_huge_valf();
constexpr float kLog2E = 1.4426950408889634F;

/// Two neighbours of a row in one register.
template <class T>
__device__ inline std::uint32_t packedPair(float first, float second) {
    std::uint32_t pair;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static_assert(std::is_same_v<T, __half>, "Turing has no bf16");
    asm("{\n.reg .f16 low, high;\n"
        "cvt.rn.f16.f32 low, %2;\n"
        "cvt.rn.f16.f32 high, %1;\n"
        "mov.b32 %0, {low, high};\n}"
        : "=r"(pair)
        : "f"(second), "f"(first));
#else
    if constexpr (std::is_same_v<T, __half>)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    else
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#endif
    return pair;
}

__device__ inline float powerOfTwo(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ inline float quadMax(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffU, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffU, x, 2));
}
__device__ inline float quadSum(float x) {
    x += __shfl_xor_sync(0xffffffffU, x, 1);
    return x + __shfl_xor_sync(0xffffffffU, x, 2);
}

/// Weights are 2^(score − base). The base is a score that was the largest once, and need not be now: the
/// quotient of the sums is the same for any. It rises only when weights have become large, so sums and
/// outputs are seldom rescaled.
struct OnlineSoftmax {
    static constexpr float kSlack = 8.0F;  ///< by which scores may pass the base where their maximum is known
    static constexpr float kMost =
        16384.0F;  ///< a thread's sum over a tile, where it isn't; fp16 holds such weights

    float top[2] = {kMinusInfinity, kMinusInfinity};  ///< what the base is; −inf until a key was seen
    float sum[2] = {0, 0};                            ///< of this thread's columns

    /// The largest of this thread's scores; whether they ask for a new base.
    template <int kCount>
    __device__ bool isHigh(const float (&scores)[kCount], float scale, float (&here)[2]) const {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            float most[2];
#pragma unroll
            for (int chain = 0; chain < 2; ++chain) {
                most[chain] = fmaxf(scores[4 * chain + 2 * row], scores[4 * chain + 2 * row + 1]);
#pragma unroll
                for (int i = 8 + 4 * chain; i < kCount; i += 8)
                    most[chain] = fmaxf(most[chain], fmaxf(scores[i + 2 * row], scores[i + 2 * row + 1]));
            }
            here[row] = fmaxf(most[0], most[1]) * scale;
        }
        return here[0] > top[0] + kSlack || here[1] > top[1] + kSlack;
    }

    /// Takes a new base: outputs so far must be multiplied by `factor`. For whole warps.
    __device__ void rise(const float (&here)[2], float (&factor)[2]) {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            const float risen = fmaxf(top[row], quadMax(here[row]));
            factor[row] = risen == top[row] ? 1.0F : powerOfTwo(top[row] - risen);
            sum[row] *= factor[row];
            top[row] = risen;
        }
    }

    /// The scores from kFirst to before kLast become weights; gives this thread's sums of them.
    template <int kFirst, int kLast, int kCount>
    __device__ void weigh(float (&scores)[kCount], float scale, float (&added)[2]) const {
        const float base[2] = {top[0] == kMinusInfinity ? 0.0F : top[0],
                               top[1] == kMinusInfinity ? 0.0F : top[1]};
        float chains[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
        for (int i = kFirst; i < kLast; ++i) {
            const int row = i / 2 % 2;
            scores[i] = powerOfTwo(fmaf(scores[i], scale, -base[row]));
            chains[row][i % 2] += scores[i];
        }
#pragma unroll
        for (int row = 0; row < 2; ++row) added[row] = chains[row][0] + chains[row][1];
    }
    /// Whether the base was too low for weights with these sums (NaN: perhaps), or there was none yet.
    __device__ bool isBaseLow(const float (&added)[2]) const {
        return !(added[0] <= kMost && added[1] <= kMost) || top[0] == kMinusInfinity ||
               top[1] == kMinusInfinity;
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
        return sum[row] == 0.0F ? kMinusInfinity : (top[row] + log2f(sum[row])) * kLn2;
    }
};

}  // namespace reelgrid::kernels::cuda::device

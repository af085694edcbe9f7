#pragma once

// The quantising methods over at most 64 keys and 128 queries, so that every operand of a head has one scale:
// a warp finds the scales itself, reading its rows once more. int8 and e4m3 values are multiplied as
// sixteen-bit floats, which hold them exactly; sums of their products are exact in fp32.

#include "kernels/cuda/attention/quantise/quantise_rows.cuh"
#include "kernels/cuda/attention/short/short_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

struct ShortQuantisedCall {
    ShortCall tokens;        ///< its shape's scale is 1: the scores' scale holds it
    float scale;             ///< softmax's, in natural units
    bool smooths;            ///< K minus its mean
    int rotation;            ///< of fav3_fp8: dimensions that are turned, a power of two from 16
    std::uint32_t minus[8];  ///< bit d: dimension d changes its sign before
};

/// What the methods round P and V to: bf16 or fp16, or e4m3 with a scale of V.
enum class ShortValues { Plain, E4m3PerChannel, E4m3PerHead };

template <class Element>
__device__ inline void widenEight(const uint4& packed, float (&x)[8]) {
    const auto pack = asPack<Element>(packed);
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = toFloat(pack.values[i]);
}
template <class Element>
__device__ inline uint4 packEight(const float (&x)[8]) {
    return make_uint4(packedPair<Element>(x[0], x[1]), packedPair<Element>(x[2], x[3]),
                      packedPair<Element>(x[4], x[5]), packedPair<Element>(x[6], x[7]));
}

/// To the nearest e4m3 value, ties to even, subnormals kept; |x| < 464: 1.5 · 2^20 times x's power of two
/// leaves three bits of its mantissa.
__device__ inline float roundedToE4m3(float x) {
    const float power = fmaxf(__uint_as_float(__float_as_uint(x) & 0x7F800000U), 0.015625F);
    return fmaf(-power, 1572864.0F, fmaf(power, 1572864.0F, x));
}

__device__ inline float warpLargest(float x) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        x = largerMagnitude(x, __shfl_xor_sync(0xffffffffU, x, distance));
    return x + 0.0F * x;  // NaN of an infinity, too
}

template <class C, ShortValues kValues>
struct ShortQuantisedWarp : ShortWarp<C> {
    using Base = ShortWarp<C>;
    using Element = typename C::Element;
    using Base::kMatrices, Base::kKeyBlocks, Base::kScores;
    using Base::shape, Base::q, Base::k, Base::v, Base::firstQuery, Base::lane;

    const ShortQuantisedCall& call;

    /// int8 scores without their scale, which is returned; `dots`: what smoothing took from the queries'
    /// scores. `mean`: a head dim's floats of shared memory.
    __device__ float multiplyIntegers(float (&scores)[kMatrices][kScores], float (&dots)[kMatrices][2],
                                      float* mean) const {
        const float factor = call.scale * kLog2E;
        float mostKey = 0, mostQuery = 0;
#pragma unroll 1
        for (int chunk = 0; chunk < shape.headDim; chunk += 32) {
            const int dim = chunk + lane % 4 * 8;
            float means[8] = {}, x[8];
            if (call.smooths) {
#pragma unroll
                for (int j = 0; j < kKeyBlocks; ++j) {
                    widenEight<Element>(k.load(8 * j + lane / 4, dim), x);
#pragma unroll
                    for (int i = 0; i < 8; ++i) means[i] += x[i];
                }
#pragma unroll
                for (int i = 0; i < 8; ++i) {
#pragma unroll
                    for (int distance = 4; distance < 32; distance *= 2)
                        means[i] += __shfl_xor_sync(0xffffffffU, means[i], distance);
                    means[i] /= static_cast<float>(shape.keys);
                    if (lane < 4) mean[dim + i] = means[i];
                }
            }
#pragma unroll
            for (int j = 0; j < kKeyBlocks; ++j) {
                if (8 * j + lane / 4 >= shape.keys) continue;
                widenEight<Element>(k.load(8 * j + lane / 4, dim), x);
#pragma unroll
                for (int i = 0; i < 8; ++i) mostKey = largerMagnitude(mostKey, x[i] - means[i]);
            }
            for (int row = lane / 4; row < shape.queries; row += 8) {
                widenEight<Element>(q.load(row, dim), x);
#pragma unroll
                for (int i = 0; i < 8; ++i) mostQuery = largerMagnitude(mostQuery, x[i] * factor);
            }
        }
        __syncwarp();
        const float keyScale = warpLargest(mostKey) / 127.0F, queryScale = warpLargest(mostQuery) / 127.0F;
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) {
            dots[m][0] = dots[m][1] = 0;
#pragma unroll
            for (float& score : scores[m]) score = 0;
        }
        const auto integers = [](float(&x)[8], float scale) {  // half away from zero
            const Quotient divided{scale, 1.0F / scale};
            const bool ordinary = scale > 1e-30F && scale < 1e30F;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float quotient = !(scale > 0) ? 0.0F : ordinary ? divided(x[i]) : x[i] / scale;
                x[i] = truncf(quotient + copysignf(0.5F, quotient));
            }
            return packEight<Element>(x);
        };
#pragma unroll 1
        for (int chunk = 0; chunk < shape.headDim; chunk += 32) {
            const int dim = chunk + lane % 4 * 8;
            float means[8], x[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) means[i] = call.smooths ? mean[dim + i] : 0.0F;
            uint4 queries[kMatrices][2];
#pragma unroll
            for (int m = 0; m < kMatrices; ++m)
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    widenEight<Element>(q.load(this->queryOf(m, r), dim), x);
#pragma unroll
                    for (int i = 0; i < 8; ++i) {
                        dots[m][r] = fmaf(x[i], means[i], dots[m][r]);
                        x[i] *= factor;
                    }
                    queries[m][r] = integers(x, queryScale);
                }
#pragma unroll
            for (int j = 0; j < kKeyBlocks; ++j) {
                widenEight<Element>(k.load(8 * j + lane / 4, dim), x);
#pragma unroll
                for (int i = 0; i < 8; ++i) x[i] = 8 * j + lane / 4 < shape.keys ? x[i] - means[i] : 0.0F;
                this->addProducts(scores, j, queries, integers(x, keyScale));
            }
        }
#pragma unroll
        for (int m = 0; m < kMatrices; ++m)
#pragma unroll
            for (int r = 0; r < 2; ++r) dots[m][r] = quadSum(dots[m][r]) * call.scale;
        return keyScale * queryScale;
    }

    /// One row after the rotation, which leaves it √rotation longer.
    template <int kChunks>
    __device__ void rotated(const ShortRows& rows, int row, float (&x)[kChunks][8]) const {
#pragma unroll
        for (int chunk = 0; chunk < kChunks; ++chunk) {
            widenEight<Element>(rows.load(row, 32 * chunk + lane % 4 * 8), x[chunk]);
            const std::uint32_t minus = call.minus[chunk] >> (lane % 4 * 8);
#pragma unroll
            for (int i = 0; i < 8; ++i)
                x[chunk][i] = __uint_as_float(__float_as_uint(x[chunk][i]) ^ (minus >> i & 1U) << 31);
        }
        // From the widest distance to the narrowest, as everywhere: over chunks, over lanes, within a
        // thread's eight.
#pragma unroll
        for (int half = kChunks / 2; half > 0; half /= 2) {
            if (32 * half >= call.rotation) continue;
#pragma unroll
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                if ((chunk & half) != 0) continue;
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    const float a = x[chunk][i], b = x[chunk + half][i];
                    x[chunk][i] = a + b;
                    x[chunk + half][i] = a - b;
                }
            }
        }
#pragma unroll
        for (int distance = 2; distance > 0; distance /= 2) {
            if (8 * distance >= call.rotation) continue;
            const float sign = (lane & distance) != 0 ? -1.0F : 1.0F;
#pragma unroll
            for (int chunk = 0; chunk < kChunks; ++chunk)
#pragma unroll
                for (int i = 0; i < 8; ++i)
                    x[chunk][i] =
                        fmaf(x[chunk][i], sign, __shfl_xor_sync(0xffffffffU, x[chunk][i], distance));
        }
#pragma unroll
        for (int chunk = 0; chunk < kChunks; ++chunk)
#pragma unroll
            for (int distance = 4; distance > 0; distance /= 2)
#pragma unroll
                for (int i = 0; i < 8; ++i)
                    if ((i & distance) == 0) {
                        const float a = x[chunk][i], b = x[chunk][i + distance];
                        x[chunk][i] = a + b;
                        x[chunk][i + distance] = a - b;
                    }
    }

    /// e4m3 scores after the rotation, without their scale, which is returned.
    template <int kChunks>
    __device__ float multiplyRotated(float (&scores)[kMatrices][kScores]) const {
        float x[kChunks][8], mostKey = 0, mostQuery = 0;
        const auto see = [&](float& most) {
#pragma unroll
            for (int chunk = 0; chunk < kChunks; ++chunk)
#pragma unroll
                for (int i = 0; i < 8; ++i) most = largerMagnitude(most, x[chunk][i]);
        };
        // All lanes of a warp turn rows together: those that a tensor lacks are zeros.
#pragma unroll 1
        for (int first = 0; first < shape.keys; first += 8) {
            rotated(k, first + lane / 4, x);
            see(mostKey);
        }
#pragma unroll 1
        for (int first = 0; first < shape.queries; first += 8) {
            rotated(q, first + lane / 4, x);
            see(mostQuery);
        }
        const float keyScale = warpLargest(mostKey) / 448.0F, queryScale = warpLargest(mostQuery) / 448.0F;
        const auto rounded = [&](float scale, uint4(&to)[kChunks]) {
            const Quotient divided{scale, 1.0F / scale};
            const bool ordinary = scale > 1e-30F && scale < 1e30F;
#pragma unroll
            for (int chunk = 0; chunk < kChunks; ++chunk) {
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    const float quotient = !(scale > 0) ? 0.0F
                                           : ordinary   ? divided(x[chunk][i])
                                                        : x[chunk][i] / scale;
                    x[chunk][i] = roundedToE4m3(quotient);
                }
                to[chunk] = packEight<Element>(x[chunk]);
            }
        };
        uint4 queries[kMatrices][2][kChunks], keys[kChunks];
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) {
#pragma unroll
            for (float& score : scores[m]) score = 0;
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                rotated(q, this->queryOf(m, r), x);
                rounded(queryScale, queries[m][r]);
            }
        }
#pragma unroll
        for (int j = 0; j < kKeyBlocks; ++j) {
            rotated(k, 8 * j + lane / 4, x);
            rounded(keyScale, keys);
#pragma unroll
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                uint4 here[kMatrices][2];
#pragma unroll
                for (int m = 0; m < kMatrices; ++m)
#pragma unroll
                    for (int r = 0; r < 2; ++r) here[m][r] = queries[m][r][chunk];
                this->addProducts(scores, j, here, keys[chunk]);
            }
        }
        return keyScale * queryScale * call.scale * kLog2E / static_cast<float>(call.rotation);
    }

    /// The largest magnitudes of eight channels over all keys.
    __device__ void largestOfChannels(int channel, float (&most)[8]) const {
#pragma unroll
        for (float& each : most) each = 0;
#pragma unroll 1
        for (int key = lane % 4; key < shape.keys; key += 4) {
            float x[8];
            widenEight<Element>(v.load(key, channel), x);
#pragma unroll
            for (int i = 0; i < 8; ++i) most[i] = largerMagnitude(most[i], x[i]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            most[i] = largerMagnitude(most[i], __shfl_xor_sync(0xffffffffU, most[i], 1));
            most[i] = largerMagnitude(most[i], __shfl_xor_sync(0xffffffffU, most[i], 2));
        }
    }

    /// Outputs of 64 channels from e4m3 values; `headScale` where the channels share one.
    __device__ void multiplyE4m3(float (&outputs)[kMatrices][32],
                                 const std::uint32_t (&p)[kMatrices][kScores / 2], int channel,
                                 float headScale) const {
        const int mine = channel + lane / 4 * 8;
        float scales[8];
        if constexpr (kValues == ShortValues::E4m3PerChannel) {
            largestOfChannels(mine, scales);
#pragma unroll
            for (float& scale : scales) scale = (scale + 0.0F * scale) / 448.0F;
        } else {
#pragma unroll
            for (float& scale : scales) scale = headScale;
        }
#pragma unroll
        for (int m = 0; m < kMatrices; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
#pragma unroll
        for (int step = 0; step < C::kKeys / 16; ++step) {
            float x[4][8];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                widenEight<Element>(v.load(16 * step + lane % 4 * 2 + i % 2 + i / 2 * 8, mine), x[i]);
#pragma unroll
                for (int c = 0; c < 8; ++c)
                    x[i][c] = roundedToE4m3(scales[c] == 0.0F ? x[i][c] : x[i][c] / scales[c]);
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int m = 0; m < kMatrices; ++m) {
                    const std::uint32_t weights[4] = {p[m][4 * step], p[m][4 * step + 1], p[m][4 * step + 2],
                                                      p[m][4 * step + 3]};
                    ampere::multiply<Element>(&outputs[m][4 * i], weights,
                                              packedPair<Element>(x[0][i], x[1][i]),
                                              packedPair<Element>(x[2][i], x[3][i]));
                }
        }
        // Column n of the i-th product is channel 8 n + i, whose scale the lanes 4 n have.
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const float first = __shfl_sync(0xffffffffU, scales[i], lane % 4 * 8),
                        second = __shfl_sync(0xffffffffU, scales[i], lane % 4 * 8 + 4);
#pragma unroll
            for (int m = 0; m < kMatrices; ++m)
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    outputs[m][4 * i + 2 * r] *= first;
                    outputs[m][4 * i + 2 * r + 1] *= second;
                }
        }
    }

    /// Chunks of 32 dimensions: 0 for int8 scores, else those of the rotation.
    template <int kChunks>
    __device__ void attend(float* mean) const {
        float scores[kMatrices][kScores], dots[kMatrices][2] = {}, scale;
        if constexpr (kChunks == 0)
            scale = multiplyIntegers(scores, dots, mean);
        else
            scale = multiplyRotated<kChunks>(scores);
        if (scale == 0.0F) scale = 1e-30F;  // a block of zeros; 0 times the −∞ of a hidden key were NaN
        if (shape.keyBias != nullptr) {
#pragma unroll
            for (int m = 0; m < kMatrices; ++m)
#pragma unroll
                for (float& score : scores[m]) score *= scale;
            scale = 1;
        }
        constexpr bool kE4m3 = kValues != ShortValues::Plain;
        constexpr int kOffset = kValues == ShortValues::E4m3PerHead ? 8 : 0;
        std::uint32_t p[kMatrices][kScores / 2];
        float inverse[kMatrices][2];
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) {
            this->template weigh<kOffset>(scores[m], m, scale, dots[m], inverse[m]);
#pragma unroll
            for (int i = 0; i < kScores / 2; ++i)
                p[m][i] = kE4m3 ? packedPair<Element>(roundedToE4m3(scores[m][2 * i]),
                                                      roundedToE4m3(scores[m][2 * i + 1]))
                                : packedPair<Element>(scores[m][2 * i], scores[m][2 * i + 1]);
        }
        float headScale = 0;
        if constexpr (kValues == ShortValues::E4m3PerHead) {
#pragma unroll 1
            for (int channel = 0; channel < shape.headDim; channel += 64) {
                float most[8];
                largestOfChannels(channel + lane / 4 * 8, most);
#pragma unroll
                for (float each : most) headScale = largerMagnitude(headScale, each);
            }
            headScale = warpLargest(headScale) / 448.0F;
        }
#pragma unroll 1
        for (int channel = 0; channel < shape.headDim; channel += 64) {
            float outputs[kMatrices][32];
            if constexpr (kE4m3)
                multiplyE4m3(outputs, p, channel, headScale);
            else
                this->multiplyValues(outputs, p, channel);
#pragma unroll
            for (int m = 0; m < kMatrices; ++m)
                this->store(outputs[m], inverse[m], firstQuery + 16 * m, channel);
        }
    }
};

template <class C, ShortValues kValues, int kChunks>
__global__ void __launch_bounds__(C::kThreads)
    shortQuantisedKernel(const __grid_constant__ ShortQuantisedCall call) {
    __shared__ __align__(16) float means[C::kWarps][256];
    withShortWarp<C>(call.tokens, [&](const ShortWarp<C>& warp) {
        ShortQuantisedWarp<C, kValues>{warp, call}.template attend<kChunks>(means[threadIdx.x / 32]);
    });
}

template <class C, ShortValues kValues, int kChunks>
void launchShortQuantised(const AttentionProblem& p, ShortQuantisedCall call) {
    call.tokens = shortCall(p, 16 * C::kMatrices);
    call.tokens.shape.scale = 1;
    call.scale = p.scale;
    call.smooths = p.keySmoothing == KeySmoothing::Mean;
    notePrepared(p);
    shortQuantisedKernel<C, kValues, kChunks>
        <<<shortBlocks(call.tokens, C::kWarps), C::kThreads, 0, static_cast<cudaStream_t>(p.stream)>>>(call);
    checkLaunch("short attention of quantised rows");
}

/// int8 scores.
template <class Element, ShortValues kValues>
void attendShortIntegers(const AttentionProblem& p) {
    if (p.keys <= 16 && p.queries <= 16)
        launchShortQuantised<ShortConfig<Element, 16, 1>, kValues, 0>(p, {});
    else if (p.keys <= 32)
        launchShortQuantised<ShortConfig<Element, 32, 2>, kValues, 0>(p, {});
    else
        launchShortQuantised<ShortConfig<Element, 64, 2>, kValues, 0>(p, {});
}

}  // namespace reelgrid::kernels::cuda::device

#pragma once

// The linear branch's arithmetic in the registers of a warpgroup that multiplies by wgmma.

#include "kernels/cuda/attention/online_softmax.cuh"
#include "kernels/cuda/attention/sla/sla_call.cuh"

namespace reelgrid::kernels::cuda::device {

/// φ of this thread's queries x (those beyond the head dim −∞), divided by 1e-5 + φ(q) · Σ φ(k), as the
/// branch's left operand. sums: Σ φ(k).
template <int kHeadDim>
__device__ void featuresOf(float (&x)[kHeadDim / 2], const float* sums, int lane,
                           std::uint32_t (&features)[kHeadDim / 4]) {
    float most[2] = {kMinusInfinity, kMinusInfinity}, sum[2] = {0, 0}, total[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < kHeadDim / 2; ++i) most[i / 2 % 2] = fmaxf(most[i / 2 % 2], x[i]);
    most[0] = quadMax(most[0]) * kLog2E;
    most[1] = quadMax(most[1]) * kLog2E;
#pragma unroll
    for (int j = 0; j < kHeadDim / 8; ++j) {
        const float2 keys = __ldg(reinterpret_cast<const float2*>(sums + 8 * j) + lane % 4);
#pragma unroll
        for (int i = 4 * j; i < 4 * j + 4; ++i) {
            const int r = i / 2 % 2;
            x[i] = powerOfTwo(fmaf(x[i], kLog2E, -most[r]));
            sum[r] += x[i];
            total[r] = fmaf(x[i], i % 2 == 0 ? keys.x : keys.y, total[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) total[r] = 1.0F / fmaf(1e-5F, quadSum(sum[r]), quadSum(total[r]));
#pragma unroll
    for (int i = 0; i < kHeadDim / 4; ++i)
        features[i] = packedPair<__nv_bfloat16>(x[2 * i] * total[i % 2], x[2 * i + 1] * total[i % 2]);
}

/// Outputs divided by the weights' sums, plus the projection's bias (or null).
template <int kHeadDim, class Softmax>
__device__ void divideAndAddBias(float (&outputs)[kHeadDim / 2], Softmax& softmax, const float* bias,
                                 int headDim, int lane) {
    const float inverse[2] = {softmax.finish(0), softmax.finish(1)};
#pragma unroll
    for (int j = 0; j < kHeadDim / 8; ++j) {
        const float2 added = bias != nullptr && 8 * j < headDim
                                 ? __ldg(reinterpret_cast<const float2*>(bias + 8 * j) + lane % 4)
                                 : float2{};
#pragma unroll
        for (int i = 4 * j; i < 4 * j + 4; ++i)
            outputs[i] = fmaf(outputs[i], inverse[i / 2 % 2], i % 2 == 0 ? added.x : added.y);
    }
}

/// What storeRows() asks of a softmax, once outputs are divided.
struct Normalised {
    __device__ static float finish(int /*row*/) { return 1.0F; }
    __device__ static float logSumExp(int /*row*/) { return 0.0F; }
};

}  // namespace reelgrid::kernels::cuda::device

#pragma once

// What sla's linear branch multiplies queries by: a head's φ(k)ᵀ v, its runs added, and below it the
// transposed projection, both bf16 as upstream's autocast has them (its range takes any sum).

#include "kernels/cuda/attention/sla/sla_call.cuh"

namespace reelgrid::kernels::cuda::device {

struct SlaMatricesCall {
    int headDim, runs;
    const float* products;     ///< [heads][runs][D of k][D of v]
    const float* featureRuns;  ///< [heads][runs][D]
    const float* projection;   ///< [headDim][headDim] as torch.nn.Linear keeps it
    float* featureSums;        ///< [heads][D]
    __nv_bfloat16* matrices;   ///< [heads][2 D][D]
};

constexpr int kSlaMatricesThreads = 256;

/// A block adds 256 values of four columns each: D² / 1024 blocks of a head.
template <int kHeadDim>
__global__ void __launch_bounds__(kSlaMatricesThreads)
    slaMatrices(const __grid_constant__ SlaMatricesCall call) {
    afterPrevious();
    constexpr int kSquare = kHeadDim * kHeadDim;
    const std::int64_t head = blockIdx.y;
    const int place = 4 * static_cast<int>(blockIdx.x * kSlaMatricesThreads + threadIdx.x);
    const float* from = call.products + head * call.runs * kSquare + place;
    float4 sum{};
#pragma unroll 8
    for (int run = 0; run < call.runs; ++run) {
        const float4 one = *reinterpret_cast<const float4*>(from + std::int64_t{run} * kSquare);
        sum.x += one.x;
        sum.y += one.y;
        sum.z += one.z;
        sum.w += one.w;
    }
    const auto store = [](__nv_bfloat16* to, const float4& x) {
        const __nv_bfloat162 first = __floats2bfloat162_rn(x.x, x.y),
                             second = __floats2bfloat162_rn(x.z, x.w);
        *reinterpret_cast<uint2*>(to) = {*reinterpret_cast<const std::uint32_t*>(&first),
                                         *reinterpret_cast<const std::uint32_t*>(&second)};
    };
    __nv_bfloat16* to = call.matrices + head * 2 * kSquare + place;
    store(to, sum);
    const int in = place / kHeadDim, out = place % kHeadDim;
    const auto weight = [&](int i) {
        return in < call.headDim && out + i < call.headDim ? call.projection[(out + i) * call.headDim + in]
                                                           : 0.0F;
    };
    store(to + kSquare, {weight(0), weight(1), weight(2), weight(3)});
    if (blockIdx.x == 0 && threadIdx.x < kHeadDim) {
        float features = 0;
        for (int run = 0; run < call.runs; ++run)
            features += call.featureRuns[(head * call.runs + run) * kHeadDim + threadIdx.x];
        call.featureSums[head * kHeadDim + threadIdx.x] = features;
    }
}

}  // namespace reelgrid::kernels::cuda::device

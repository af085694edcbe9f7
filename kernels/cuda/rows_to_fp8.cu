#include <cuda_fp8.h>

#include "kernels/cuda/capability.h"
#include "kernels/cuda/gelu.cuh"
#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kThreads = 256;
constexpr int kMostPacks = 16;  // that a thread holds
constexpr float kLargest = 448;

__device__ float blockMost(float x, float* perWarp) {
    for (int distance = 16; distance > 0; distance /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffffU, x, distance));
    if (threadIdx.x % 32 == 0) perWarp[threadIdx.x / 32] = x;
    __syncthreads();
    float most = perWarp[0];
    for (int warp = 1; warp < kThreads / 32; ++warp) most = fmaxf(most, perWarp[warp]);
    return most;
}

/// One block a row, the row in registers between its one reading and its one writing.
template <class T, int Packs>
__global__ void __launch_bounds__(kThreads) quantiseRows(RowsToFp8 call) {
    constexpr int kPack = kWide<T>;
    __shared__ float perWarp[kThreads / 32];
    const int channels = static_cast<int>(call.channels);
    const T* x = static_cast<const T*>(call.x) + blockIdx.x * call.channels;
    const auto channelOf = [&](int pack) {
        return (static_cast<int>(threadIdx.x) + pack * kThreads) * kPack;
    };

    Pack<T, kPack> packs[Packs];
    float most = 0;
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = channelOf(i);
        if (c >= channels) continue;
        packs[i] = Pack<T, kPack>::load(x + c);
        if (call.activation == Activation::GeluTanh) {
            float values[kPack];
#pragma unroll
            for (int k = 0; k < kPack; ++k) values[k] = geluTanh(toFloat(packs[i].values[k]));
            packs[i] = packed<T>(values);
        }
#pragma unroll
        for (int k = 0; k < kPack; ++k) most = fmaxf(most, fabsf(toFloat(packs[i].values[k])));
    }
    most = blockMost(most, perWarp);
    // A row of zeros has any scale.
    const float scale = most > 0 ? most * (1.0F / kLargest) : 1.0F;
    const float inverse = 1.0F / scale;
    if (threadIdx.x == 0) call.scales[blockIdx.x] = scale;

    auto* out = static_cast<std::uint8_t*>(call.out) + blockIdx.x * call.channels;
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = channelOf(i);
        if (c >= channels) continue;
        Pack<std::uint16_t, kPack / 2> bytes;
#pragma unroll
        for (int k = 0; k < kPack; k += 2)
            bytes.values[k / 2] = __nv_cvt_float2_to_fp8x2(
                {toFloat(packs[i].values[k]) * inverse, toFloat(packs[i].values[k + 1]) * inverse},
                __NV_SATFINITE, __NV_E4M3);
        bytes.store(reinterpret_cast<std::uint16_t*>(out + c));
    }
}

template <class T, int Packs>
void launch(const RowsToFp8& call, void* stream) {
    quantiseRows<T, Packs><<<rowBlocks(call.rows), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(call);
}

}  // namespace

void rowsToFp8(const RowsToFp8& call, void* stream) {
    if (call.rows == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const std::int64_t each = std::int64_t{kThreads} * kWide<T>;
        const std::int64_t packs = (call.channels + each - 1) / each;
        if (packs <= 1)
            launch<T, 1>(call, stream);
        else if (packs <= 3)
            launch<T, 3>(call, stream);
        else if (packs <= 7)
            launch<T, 7>(call, stream);
        else
            launch<T, kMostPacks>(call, stream);
    });
    checkLaunch("rowsToFp8");
}

bool multipliesFp8() {
    const Capability found = capability();
    return found.major * 10 + found.minor >= 89;
}

}  // namespace reelgrid::kernels::cuda::device

#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr unsigned kThreads = 256;
/// Packs of a row that a thread takes.
constexpr int kEach = 2;

__device__ float gelu(float x) {
    constexpr float kHalfRoot = 0.70710678118654752F;
    return 0.5F * x * (1.0F + erff(x * kHalfRoot));
}

template <class T>
__global__ void __launch_bounds__(kThreads) gatePacks(GatedGelu call, unsigned packs) {
    constexpr int kPack = kWide<T>;
    const std::int64_t all = call.rows * packs,
                       first = static_cast<std::int64_t>(blockIdx.x) * kThreads * kEach + threadIdx.x;
    const auto* x = static_cast<const T*>(call.x);
    Pack<T, kPack> halves[kEach], gates[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        const std::int64_t at = first + i * kThreads;
        if (at >= all) break;
        const T* half = x + (at / packs * 2 * packs + at % packs) * kPack;
        halves[i] = Pack<T, kPack>::load(half);
        gates[i] = Pack<T, kPack>::load(half + call.channels);
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        const std::int64_t at = first + i * kThreads;
        if (at >= all) break;
        float values[kPack];
#pragma unroll
        for (int k = 0; k < kPack; ++k)
            values[k] = toFloat(halves[i].values[k]) * gelu(toFloat(gates[i].values[k]));
        packed<T>(values).store(static_cast<T*>(call.out) + at * kPack);
    }
}

}  // namespace

void gatedGelu(const GatedGelu& call, void* stream) {
    if (call.rows == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const auto packs = static_cast<unsigned>(call.channels / kWide<T>);
        const std::int64_t each = kThreads * kEach, all = call.rows * packs;
        gatePacks<T><<<rowBlocks((all + each - 1) / each), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
            call, packs);
    });
    checkLaunch("gatedGelu");
}

}  // namespace reelgrid::kernels::cuda::device

#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr unsigned kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads) blendPacks(Blend call) {
    constexpr int kPack = kWide<T>;
    const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kPack;
    if (at >= call.values) return;
    const auto xs = Pack<T, kPack>::load(static_cast<const T*>(call.x) + at);
    const auto ys = Pack<T, kPack>::load(static_cast<const T*>(call.y) + at);
    const auto zs = Pack<T, kPack>::load(static_cast<const T*>(call.z) + at);
    float values[kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
        const float x = toFloat(xs.values[k]);
        values[k] = x + call.share * (toFloat(ys.values[k]) + toFloat(zs.values[k]) - x);
    }
    packed<T>(values).store(static_cast<T*>(call.out) + at);
}

}  // namespace

void blend(const Blend& call, void* stream) {
    if (call.values == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const std::int64_t each = std::int64_t{kThreads} * kWide<T>;
        blendPacks<T>
            <<<rowBlocks((call.values + each - 1) / each), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
                call);
    });
    checkLaunch("blend");
}

}  // namespace reelgrid::kernels::cuda::device

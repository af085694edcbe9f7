#include <algorithm>

#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr unsigned kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads)
    addBiasPacks(T* y, const T* bias, const T* residual, unsigned packs, unsigned packsAPixel) {
    constexpr int kPack = kWide<T>;
    const unsigned i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= packs) return;
    const std::int64_t at = static_cast<std::int64_t>(i) * kPack;
    const auto ys = Pack<T, kPack>::load(y + at);
    const auto biases = Pack<T, kPack>::load(bias + i % packsAPixel * kPack);
    float sums[kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) sums[k] = toFloat(ys.values[k]) + toFloat(biases.values[k]);
    if (residual != nullptr) {
        const auto others = Pack<T, kPack>::load(residual + at);
#pragma unroll
        for (int k = 0; k < kPack; ++k) sums[k] += toFloat(others.values[k]);
    }
    packed<T>(sums).store(y + at);
}

}  // namespace

void addBias(const AddBias& call, void* stream) {
    withType(call.type, [&]<class T>(T*) {
        const auto packsAPixel = static_cast<unsigned>(call.channels / kWide<T>);
        // In runs of pixels that 32 bits can count.
        const std::int64_t most = (std::int64_t{1} << 31) / packsAPixel;
        for (std::int64_t first = 0; first < call.pixels; first += most) {
            const auto packs = static_cast<unsigned>(std::min(most, call.pixels - first)) * packsAPixel;
            const std::int64_t at = first * call.channels;
            const T* residual = static_cast<const T*>(call.residual);
            addBiasPacks<T>
                <<<(packs + kThreads - 1) / kThreads, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
                    static_cast<T*>(call.y) + at, static_cast<const T*>(call.bias),
                    residual != nullptr ? residual + at : nullptr, packs, packsAPixel);
        }
    });
    checkLaunch("addBias");
}

}  // namespace reelgrid::kernels::cuda::device

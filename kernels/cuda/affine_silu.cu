#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/silu.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr unsigned kThreads = 256;

/// A row of pixels is blocks of threads side by side, each with a pack of a pixel's channels.
template <class T>
__global__ void __launch_bounds__(kThreads) activatePacks(AffineSilu call, unsigned packs) {
    constexpr int kPack = kWide<T>;
    const unsigned i = blockIdx.x * kThreads + threadIdx.x, row = blockIdx.y;
    const auto columns = static_cast<unsigned>(call.columns);
    if (i >= columns * packs) return;
    const unsigned column = i / packs, channel = i % packs * kPack;
    const unsigned cells = columns / static_cast<unsigned>(call.columnsOfCell);
    const std::int64_t cell =
        static_cast<std::int64_t>(row / static_cast<unsigned>(call.rowsOfCell)) * cells +
        column / static_cast<unsigned>(call.columnsOfCell);
    const std::int64_t at = (static_cast<std::int64_t>(row) * columns * packs + i) * kPack;
    const auto xs = Pack<T, kPack>::load(static_cast<const T*>(call.x) + at);
    float values[kPack];
#pragma unroll
    for (int k = 0; k < kPack; k += 4) {
        const auto scales = Pack<float, 4>::load(call.scale + cell * call.channels + channel + k);
        const auto shifts = Pack<float, 4>::load(call.shift + cell * call.channels + channel + k);
#pragma unroll
        for (int j = 0; j < 4; ++j)
            values[k + j] = silu(toFloat(xs.values[k + j]) * scales.values[j] + shifts.values[j]);
    }
    packed<T>(values).store(static_cast<T*>(call.out) + at);
}

}  // namespace

void affineSilu(const AffineSilu& call, void* stream) {
    if (call.rows == 0 || call.columns == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const auto packs = static_cast<unsigned>(call.channels / kWide<T>);
        const dim3 blocks((static_cast<unsigned>(call.columns) * packs + kThreads - 1) / kThreads,
                          static_cast<unsigned>(call.rows));
        activatePacks<T><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(call, packs);
    });
    checkLaunch("affineSilu");
}

}  // namespace reelgrid::kernels::cuda::device

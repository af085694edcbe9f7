#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kThreads = 256;
/// Pixels that a thread reads ahead.
constexpr int kAhead = 4;

/// A block has a run of pixels; as many threads lie side by side as a pixel has packs, the rest below them.
template <class T>
__global__ void __launch_bounds__(kThreads) sumChannels(ChannelSums call, int packs) {
    constexpr int kPack = kWide<T>;
    __shared__ float shared[kThreads * kPack];
    const int channels = static_cast<int>(call.channels), below = kThreads / packs;
    const int pack = static_cast<int>(threadIdx.x) % packs, row = static_cast<int>(threadIdx.x) / packs;
    const std::int64_t each = (call.pixels + call.parts - 1) / call.parts;
    const std::int64_t begin = blockIdx.x * each, end = min(begin + each, call.pixels);
    const T* x = static_cast<const T*>(call.x) + pack * kPack;

    float sums[kPack] = {}, squares[kPack] = {};
    if (row < below) {
        const auto origin = Pack<T, kPack>::load(x);
        for (std::int64_t first = begin + row; first < end; first += below * kAhead) {
            Pack<T, kPack> ahead[kAhead];
#pragma unroll
            for (int i = 0; i < kAhead; ++i) {
                const std::int64_t pixel = first + i * below;
                ahead[i] = pixel < end ? Pack<T, kPack>::load(x + pixel * channels) : origin;
            }
#pragma unroll
            for (int i = 0; i < kAhead; ++i) {
#pragma unroll
                for (int k = 0; k < kPack; ++k) {
                    const float distance = toFloat(ahead[i].values[k]) - toFloat(origin.values[k]);
                    sums[k] += distance;
                    squares[k] += distance * distance;
                }
            }
        }
    }
    float* out = call.sums + blockIdx.x * 2 * call.channels;
    for (int kind = 0; kind < 2; ++kind) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kPack; ++k) shared[threadIdx.x * kPack + k] = kind == 0 ? sums[k] : squares[k];
        __syncthreads();
        for (int c = static_cast<int>(threadIdx.x); c < channels; c += kThreads) {
            float total = 0;
            for (int i = 0; i < below; ++i) total += shared[i * channels + c];
            out[kind * channels + c] = total;
        }
    }
}

}  // namespace

void channelSums(const ChannelSums& call, void* stream) {
    if (call.pixels == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const int packs = static_cast<int>(call.channels) / kWide<T>;
        sumChannels<T>
            <<<rowBlocks(call.parts), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(call, packs);
    });
    checkLaunch("channelSums");
}

}  // namespace reelgrid::kernels::cuda::device

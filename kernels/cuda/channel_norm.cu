#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/silu.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kThreads = 256;

/// `lanes` neighbouring threads share a pixel, each with Packs packs of its channels in registers. A thread
/// has one pixel: many short-lived warps keep memory busier than fewer that walk and load ahead.
template <class T, int Packs>
__global__ void __launch_bounds__(kThreads) channelNormPixels(ChannelNorm call, int lanes) {
    constexpr int kPack = kWide<T>;
    const int lane = static_cast<int>(threadIdx.x) % lanes, channels = static_cast<int>(call.channels);
    const std::int64_t pixel = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / lanes;
    // Lanes beyond the last pixel stay for the sums of their warp.
    const auto isOurs = [&](int c) { return pixel < call.pixels && c < channels; };
    const auto channelOf = [&](int pack) { return (lane + pack * lanes) * kPack; };
    const T* x = static_cast<const T*>(call.x) + pixel * channels;
    T* out = static_cast<T*>(call.out) + pixel * channels;

    uint4 packs[Packs];
#pragma unroll
    for (int i = 0; i < Packs; ++i)
        if (isOurs(channelOf(i))) packs[i] = *reinterpret_cast<const uint4*>(x + channelOf(i));
    float squares = 0;
#pragma unroll
    for (int i = 0; i < Packs; ++i)
        if (isOurs(channelOf(i))) {
#pragma unroll
            for (int k = 0; k < kPack; ++k) {
                const float value = toFloat(asPack<T>(packs[i]).values[k]);
                squares += value * value;
            }
            keepPacked(packs[i]);
        }
    for (int distance = lanes / 2; distance > 0; distance /= 2)
        squares += __shfl_xor_sync(0xffffffffU, squares, distance);
    const float factor = 1.0F / fmaxf(sqrtf(squares), 1e-12F);
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = channelOf(i);
        if (!isOurs(c)) continue;
        const auto scales = Pack<float, kPack>::load(call.scale + c);
        float values[kPack];
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
            const float value = toFloat(asPack<T>(packs[i]).values[k]) * factor * scales.values[k];
            values[k] = call.activation == Activation::Silu ? silu(value) : value;
        }
        packed<T>(values).store(out + c);
    }
}

template <class T, int Packs>
void launch(const ChannelNorm& call, int lanes, void* stream) {
    const unsigned blocks = rowBlocks((call.pixels * lanes + kThreads - 1) / kThreads);
    channelNormPixels<T, Packs><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(call, lanes);
}

}  // namespace

void channelNorm(const ChannelNorm& call, void* stream) {
    if (call.pixels == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const int packs = static_cast<int>(call.channels) / kWide<T>;
        // Channels are 3 · 2^n in the usual models: three packs a lane leave none idle.
        int lanes = 1;
        while (lanes < 32 && lanes * 3 < packs) lanes *= 2;
        const int each = (packs + lanes - 1) / lanes;
        if (each <= 3)
            launch<T, 3>(call, lanes, stream);
        else if (each <= 4)
            launch<T, 4>(call, lanes, stream);
        else if constexpr (sizeof(T) == 4)
            launch<T, 8>(call, lanes, stream);
    });
    checkLaunch("channelNorm");
}

}  // namespace reelgrid::kernels::cuda::device

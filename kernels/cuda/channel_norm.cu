#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda {
namespace {

constexpr int kThreads = 256;

/// x / (1 + e^-x) by the units for powers of two and reciprocals, each within two units in the last place.
__device__ inline float silu(float x) {
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-1.4426950408889634F * x));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(1.0F + power));
    return x * inverse;
}

/// `lanes` neighbouring threads share a pixel, each with Packs packs of its channels, whose scales stay in
/// registers while the block walks the pixels; the next pixel is loaded before the present one is finished.
template <class T, int Packs>
__global__ void __launch_bounds__(kThreads) channelNormPixels(ChannelNorm call, int lanes) {
    constexpr int kPack = kWide<T>;
    const int group = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
    const int groups = kThreads / lanes, channels = static_cast<int>(call.channels);
    const T* x = static_cast<const T*>(call.x);
    T* out = static_cast<T*>(call.out);

    float scales[Packs][kPack];
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = (lane + i * lanes) * kPack;
#pragma unroll
        for (int k = 0; k < kPack; ++k) scales[i][k] = c < channels ? call.scale[c + k] : 0.0F;
    }
    Pack<T, kPack> next[Packs];
    const auto load = [&](std::int64_t pixel) {
#pragma unroll
        for (int i = 0; i < Packs; ++i) {
            const int c = (lane + i * lanes) * kPack;
            if (pixel < call.pixels && c < channels) next[i] = Pack<T, kPack>::load(x + pixel * channels + c);
        }
    };
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * groups;
    // Whole warps walk together, as their sums need all lanes.
    const std::int64_t turns = (call.pixels + stride - 1) / stride;
    std::int64_t pixel = static_cast<std::int64_t>(blockIdx.x) * groups + group;
    load(pixel);
    for (std::int64_t turn = 0; turn < turns; ++turn, pixel += stride) {
        Pack<T, kPack> present[Packs];
        float squares = 0;
#pragma unroll
        for (int i = 0; i < Packs; ++i) {
            const int c = (lane + i * lanes) * kPack;
            present[i] = next[i];
            if (pixel < call.pixels && c < channels) {
#pragma unroll
                for (int k = 0; k < kPack; ++k) {
                    const float value = toFloat(present[i].values[k]);
                    squares += value * value;
                }
            }
        }
        load(pixel + stride);
        for (int distance = lanes / 2; distance > 0; distance /= 2)
            squares += __shfl_xor_sync(0xffffffffU, squares, distance);
        const float factor = 1.0F / fmaxf(sqrtf(squares), 1e-12F);
#pragma unroll
        for (int i = 0; i < Packs; ++i) {
            const int c = (lane + i * lanes) * kPack;
            if (pixel >= call.pixels || c >= channels) continue;
            float values[kPack];
#pragma unroll
            for (int k = 0; k < kPack; ++k) {
                const float value = toFloat(present[i].values[k]) * factor * scales[i][k];
                values[k] = call.activation == Activation::Silu ? silu(value) : value;
            }
            packed<T>(values).store(out + pixel * channels + c);
        }
    }
}

template <class T, int Packs>
void launch(const ChannelNorm& call, int lanes, void* stream) {
    const std::int64_t blocks = (call.pixels * lanes + kThreads - 1) / kThreads;
    channelNormPixels<T, Packs><<<residentBlocks(channelNormPixels<T, Packs>, kThreads, blocks), kThreads, 0,
                                  static_cast<cudaStream_t>(stream)>>>(call, lanes);
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

}  // namespace reelgrid::kernels::cuda

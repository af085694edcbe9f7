#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kWarps = 4;  // of a block, each with a row of its own
constexpr int kLanes = 32;

/// Angles are read once a row where each of a lane's packs lies at the same place of its head, else for each
/// pack.
enum class Angles { OncePerRow, PerPack };

/// A warp a row, which it keeps in registers between its one reading and its one writing: no barrier, and
/// memory is kept busy by the many warps beside it.
template <class T, int Packs, Angles angles>
__global__ void __launch_bounds__(kWarps* kLanes) rmsNormRotateRows(RmsNormRotate call) {
    constexpr int kPack = kWide<T>;
    using AnglePack = Pack<float, kPack / 2>;
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
    if (row >= call.rows) return;
    const int channels = static_cast<int>(call.channels), headDim = static_cast<int>(call.headDim);
    const auto channelOf = [&](int pack) { return (lane + pack * kLanes) * kPack; };
    T* x = static_cast<T*>(call.x) + row * call.rowStride;

    uint4 packs[Packs];
#pragma unroll
    for (int i = 0; i < Packs; ++i)
        if (channelOf(i) < channels) packs[i] = *reinterpret_cast<const uint4*>(x + channelOf(i));
    AnglePack cosines, sines;
    const std::int64_t ofToken = row % call.tokens * (headDim / 2);
    const auto loadAngles = [&](int pack) {
        const std::int64_t at = ofToken + channelOf(pack) % headDim / 2;
        cosines = AnglePack::load(call.cos + at);
        sines = AnglePack::load(call.sin + at);
    };
    if (angles == Angles::OncePerRow && call.cos != nullptr) loadAngles(0);

    float squares = 0;
#pragma unroll
    for (int i = 0; i < Packs; ++i)
        if (channelOf(i) < channels) {
#pragma unroll
            for (int k = 0; k < kPack; ++k) {
                const float value = toFloat(asPack<T>(packs[i]).values[k]);
                squares += value * value;
            }
            keepPacked(packs[i]);
        }
    const float scale = rsqrtf(warpSum(squares) / static_cast<float>(channels) + call.eps);

#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = channelOf(i);
        if (c >= channels) continue;
        float values[kPack];
        const auto weights = Pack<float, kPack>::load(call.weight + c);
#pragma unroll
        for (int k = 0; k < kPack; ++k)
            values[k] = toFloat(asPack<T>(packs[i]).values[k]) * scale * weights.values[k];
        if (call.cos != nullptr) {
            if constexpr (angles == Angles::PerPack) loadAngles(i);
#pragma unroll
            for (int p = 0; p < kPack / 2; ++p) {
                const float even = values[2 * p], odd = values[2 * p + 1];
                values[2 * p] = even * cosines.values[p] - odd * sines.values[p];
                values[2 * p + 1] = even * sines.values[p] + odd * cosines.values[p];
            }
        }
        packed<T>(values).store(x + c);
    }
}

template <class T, int Packs>
void launch(const RmsNormRotate& call, void* stream) {
    const auto kernel = kLanes * kWide<T> % call.headDim == 0
                            ? rmsNormRotateRows<T, Packs, Angles::OncePerRow>
                            : rmsNormRotateRows<T, Packs, Angles::PerPack>;
    kernel<<<rowBlocks((call.rows + kWarps - 1) / kWarps), kWarps * kLanes, 0,
             static_cast<cudaStream_t>(stream)>>>(call);
}

}  // namespace

void rmsNormRotate(const RmsNormRotate& call, void* stream) {
    if (call.rows == 0) return;
    withType(call.type, [&]<class T>(T*) {
        constexpr int kEach = kLanes * kWide<T>;                    // channels that a warp takes at once
        constexpr int kHalf = 8 / static_cast<int>(sizeof(T)) / 2;  // 1 in fp32, 2 in sixteen bits
        const auto packs = static_cast<int>((call.channels + kEach - 1) / kEach) * kHalf;
        // In halves of what fp32 needs: 512, 1536, 3072, 5120 and 8192 channels.
        if (packs <= 4)
            launch<T, 4 / kHalf>(call, stream);
        else if (packs <= 12)
            launch<T, 12 / kHalf>(call, stream);
        else if (packs <= 24)
            launch<T, 24 / kHalf>(call, stream);
        else if (packs <= 40)
            launch<T, 40 / kHalf>(call, stream);
        else
            launch<T, 64 / kHalf>(call, stream);
    });
    checkLaunch("rmsNormRotate");
}

}  // namespace reelgrid::kernels::cuda::device

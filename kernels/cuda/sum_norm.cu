#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kWarps = 8;  // of a block, each with a row of its own
constexpr int kLanes = 32;

/// A warp a row, which is in its registers between its one reading and its one writing.
template <class T, int Packs>
__global__ void __launch_bounds__(kWarps* kLanes) sumNormRows(SumNorm call) {
    constexpr int kPack = kWide<T>;
    using Values = Pack<T, kPack>;
    const int lane = static_cast<int>(threadIdx.x) % kLanes, channels = static_cast<int>(call.channels);
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
    if (row >= call.rows) return;
    const auto channelOf = [&](int pack) { return (lane + pack * kLanes) * kPack; };
    const auto rowOf = [&](const void* tensor, std::int64_t index) {
        return static_cast<const T*>(tensor) + index * channels;
    };
    const T* x = rowOf(call.x, row);
    float values[Packs][kPack];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = channelOf(i);
        if (c >= channels) break;
        const Values xs = Values::load(x + c);
#pragma unroll
        for (int k = 0; k < kPack; ++k) values[i][k] = toFloat(xs.values[k]);
        if (call.y != nullptr) {
            const Values ys = Values::load(rowOf(call.y, row / call.rowsOfY) + c);
#pragma unroll
            for (int k = 0; k < kPack; ++k) values[i][k] += toFloat(ys.values[k]);
        }
        if (call.everywhere != nullptr) {
            const Values zs = Values::load(static_cast<const T*>(call.everywhere) + c);
#pragma unroll
            for (int k = 0; k < kPack; ++k) values[i][k] += toFloat(zs.values[k]);
        }
        if (call.sum != nullptr) {
            // What is normed is what is kept.
            const Values rounded = packed<T>(values[i]);
            rounded.store(static_cast<T*>(call.sum) + row * channels + c);
#pragma unroll
            for (int k = 0; k < kPack; ++k) values[i][k] = toFloat(rounded.values[k]);
        }
#pragma unroll
        for (int k = 0; k < kPack; ++k) sum += values[i][k];
    }
    const float mean = warpSum(sum) / static_cast<float>(channels);
    float squares = 0;
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        if (channelOf(i) >= channels) break;
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
            values[i][k] -= mean;
            squares += values[i][k] * values[i][k];
        }
    }
    const float scale = rsqrtf(warpSum(squares) / static_cast<float>(channels) + call.eps);
    T* out = static_cast<T*>(call.out) + row * channels;
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = channelOf(i);
        if (c >= channels) break;
        const Values weights = Values::load(static_cast<const T*>(call.weight) + c);
        const Values biases = Values::load(static_cast<const T*>(call.bias) + c);
#pragma unroll
        for (int k = 0; k < kPack; ++k)
            values[i][k] = values[i][k] * scale * toFloat(weights.values[k]) + toFloat(biases.values[k]);
        if (call.shift != nullptr) {
            const Values shifts = Values::load(rowOf(call.shift, row / call.rowsOfShift) + c);
#pragma unroll
            for (int k = 0; k < kPack; ++k) values[i][k] += toFloat(shifts.values[k]);
        }
        packed<T>(values[i]).store(out + c);
    }
}

template <class T, int Packs>
void launch(const SumNorm& call, void* stream) {
    const unsigned blocks = rowBlocks((call.rows + kWarps - 1) / kWarps);
    sumNormRows<T, Packs><<<blocks, kWarps * kLanes, 0, static_cast<cudaStream_t>(stream)>>>(call);
}

}  // namespace

void sumNorm(const SumNorm& call, void* stream) {
    if (call.rows == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const std::int64_t each = kLanes * kWide<T>, packs = (call.channels + each - 1) / each;
        if (packs <= 1) return launch<T, 1>(call, stream);
        if (packs <= 2) return launch<T, 2>(call, stream);
        if (packs <= 3) return launch<T, 3>(call, stream);
        if (packs <= 5) return launch<T, 5>(call, stream);
        if (packs <= 8) return launch<T, 8>(call, stream);
        if constexpr (sizeof(T) == 4) launch<T, 16>(call, stream);
    });
    checkLaunch("sumNorm");
}

}  // namespace reelgrid::kernels::cuda::device

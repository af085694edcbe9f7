#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kPack = 4;   // fp32 of x in 16 bytes
constexpr int kPacks = 4;  // a thread holds so many in registers

/// One block a row, the row in registers between its one reading and its one writing.
template <class T>
__global__ void addThenNormRows(AddThenNorm call) {
    __shared__ float forMean[32], forVariance[32];
    const int channels = static_cast<int>(call.channels);
    float* x = call.x + blockIdx.x * call.channels;
    const T* y = static_cast<const T*>(call.y);
    if (y != nullptr) y += blockIdx.x * call.channels;

    float row[kPacks][kPack];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
        const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
        if (c >= channels) break;
        auto xs = Pack<float, kPack>::load(x + c);
        if (y != nullptr) {
            const auto ys = Pack<T, kPack>::load(y + c);
            Pack<float, kPack> gates{{1, 1, 1, 1}};
            if (call.gate != nullptr) gates = Pack<float, kPack>::load(call.gate + c);
#pragma unroll
            for (int k = 0; k < kPack; ++k) xs.values[k] += toFloat(ys.values[k]) * gates.values[k];
            xs.store(x + c);
        }
#pragma unroll
        for (int k = 0; k < kPack; ++k) sum += row[i][k] = xs.values[k];
    }
    if (call.out == nullptr) return;

    const float mean = blockSum(sum, forMean) / static_cast<float>(channels);
    float squares = 0;
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
        const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
        if (c >= channels) break;
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
            row[i][k] -= mean;
            squares += row[i][k] * row[i][k];
        }
    }
    const float scale = rsqrtf(blockSum(squares, forVariance) / static_cast<float>(channels) + call.eps);
    T* out = static_cast<T*>(call.out) + blockIdx.x * call.channels;
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
        const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
        if (c >= channels) break;
        const auto weights = Pack<float, kPack>::load(call.weight + c);
        const auto biases = Pack<float, kPack>::load(call.bias + c);
        float values[kPack];
#pragma unroll
        for (int k = 0; k < kPack; ++k) values[k] = row[i][k] * scale * weights.values[k] + biases.values[k];
        packed<T>(values).store(out + c);
    }
}

}  // namespace

void addThenNorm(const AddThenNorm& call, void* stream) {
    if (call.rows == 0) return;
    const unsigned threads = rowThreads(call.channels / kPack, kPacks);
    withType(call.type, [&]<class T>(T*) {
        addThenNormRows<T><<<rowBlocks(call.rows), threads, 0, static_cast<cudaStream_t>(stream)>>>(call);
    });
    checkLaunch("addThenNorm");
}

}  // namespace reelgrid::kernels::cuda::device

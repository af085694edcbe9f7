#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda {
namespace {

/// One block walks rows of the stride of the grid. A thread keeps its channels' weights in registers and
/// loads its part of the next row before it finishes the present one, so that the memory never waits for the
/// arithmetic.
template <class T, int Packs>
__global__ void rmsNormRotateRows(RmsNormRotate call) {
    constexpr int kPack = kWide<T>;
    __shared__ float forSquares[2][32];
    const int channels = static_cast<int>(call.channels);
    const int headDim = static_cast<int>(call.headDim);
    T* x = static_cast<T*>(call.x);

    float weights[Packs][kPack];
    Pack<T, kPack> next[Packs];
    const auto load = [&](std::int64_t row) {
#pragma unroll
        for (int i = 0; i < Packs; ++i) {
            const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
            if (c < channels) next[i] = Pack<T, kPack>::load(x + row * call.rowStride + c);
        }
    };
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
#pragma unroll
        for (int k = 0; k < kPack; ++k) weights[i][k] = c < channels ? call.weight[c + k] : 0.0F;
    }

    int angleOf[Packs];  // of a thread's packs, within a token's angles
#pragma unroll
    for (int i = 0; i < Packs; ++i)
        angleOf[i] = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack % headDim / 2;

    // Without divisions: each takes as long as the rest of a turn.
    const std::int64_t tokenStep = gridDim.x % call.tokens;
    std::int64_t row = blockIdx.x, token = blockIdx.x % call.tokens;
    if (row < call.rows) load(row);
    for (int turn = 0; row < call.rows; row += gridDim.x, turn ^= 1) {
        Pack<T, kPack> present[Packs];
        float squares = 0;
#pragma unroll
        for (int i = 0; i < Packs; ++i) {
            const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
            present[i] = next[i];
            if (c < channels) {
#pragma unroll
                for (int k = 0; k < kPack; ++k) {
                    const float value = toFloat(present[i].values[k]);
                    squares += value * value;
                }
            }
        }
        if (row + gridDim.x < call.rows) load(row + gridDim.x);
        const std::int64_t angles = token * (headDim / 2);
        token += tokenStep;
        if (token >= call.tokens) token -= call.tokens;
        const float scale =
            rsqrtf(blockSum(squares, forSquares[turn]) / static_cast<float>(channels) + call.eps);
#pragma unroll
        for (int i = 0; i < Packs; ++i) {
            const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
            if (c >= channels) continue;
            float values[kPack];
#pragma unroll
            for (int k = 0; k < kPack; ++k) values[k] = toFloat(present[i].values[k]) * scale * weights[i][k];
            if (call.cos != nullptr) {
                const auto cosines = Pack<float, kPack / 2>::load(call.cos + angles + angleOf[i]);
                const auto sines = Pack<float, kPack / 2>::load(call.sin + angles + angleOf[i]);
#pragma unroll
                for (int p = 0; p < kPack / 2; ++p) {
                    const float even = values[2 * p], odd = values[2 * p + 1];
                    values[2 * p] = even * cosines.values[p] - odd * sines.values[p];
                    values[2 * p + 1] = even * sines.values[p] + odd * cosines.values[p];
                }
            }
            packed<T>(values).store(x + row * call.rowStride + c);
        }
    }
}

template <class T, int Packs>
void launch(const RmsNormRotate& call, void* stream) {
    const unsigned threads = rowThreads(call.channels / kWide<T>, Packs);
    rmsNormRotateRows<T, Packs><<<residentBlocks(rmsNormRotateRows<T, Packs>, threads, call.rows), threads, 0,
                                  static_cast<cudaStream_t>(stream)>>>(call);
}

}  // namespace

void rmsNormRotate(const RmsNormRotate& call, void* stream) {
    if (call.rows == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const std::int64_t packs = call.channels / kWide<T>;
        if (packs <= 256)
            launch<T, 1>(call, stream);
        else if (packs <= 1024)
            launch<T, 2>(call, stream);
        else
            launch<T, 4>(call, stream);
    });
    checkLaunch("rmsNormRotate");
}

}  // namespace reelgrid::kernels::cuda

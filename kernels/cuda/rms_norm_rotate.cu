#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda {
namespace {

constexpr int kMostThreadsARow = 512;

/// Sums of several rows over the block's threads with one barrier. `perWarp` is not to be used again before the
/// next barrier.
template <int Rows>
__device__ void blockSums(float (&sums)[Rows], float (*perWarp)[32]) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) sums[r] = warpSum(sums[r]);
    const int warps = static_cast<int>(blockDim.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    if (warps == 1) return;
#pragma unroll
    for (int r = 0; r < Rows; ++r)
        if (lane == 0) perWarp[r][threadIdx.x / 32] = sums[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Rows; ++r) sums[r] = warpSum(lane < warps ? perWarp[r][lane] : 0.0F);
}

/// A block takes Rows neighbouring rows at a time and walks on by the stride of the grid. A thread keeps its channels'
/// weights in registers and has its part of the next rows on the way while it finishes the present ones, so that
/// memory does not wait for arithmetic.
template <class T, int Packs, int Rows>
__global__ void __launch_bounds__(kMostThreadsARow) rmsNormRotateRows(RmsNormRotate call) {
    constexpr int kPack = kWide<T>;
    __shared__ float forSquares[2][Rows][32];
    const int channels = static_cast<int>(call.channels);
    const int headDim = static_cast<int>(call.headDim), tokens = static_cast<int>(call.tokens);
    T* x = static_cast<T*>(call.x);

    float weights[Packs][kPack];
    int angleOf[Packs];  // within a token's angles
#pragma unroll
    for (int i = 0; i < Packs; ++i) {
        const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
        angleOf[i] = c % headDim / 2;
#pragma unroll
        for (int k = 0; k < kPack; ++k) weights[i][k] = c < channels ? call.weight[c + k] : 0.0F;
    }
    Pack<T, kPack> next[Rows][Packs];
    const auto load = [&](std::int64_t first) {
#pragma unroll
        for (int r = 0; r < Rows; ++r)
#pragma unroll
            for (int i = 0; i < Packs; ++i) {
                const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
                if (c < channels && first + r < call.rows)
                    next[r][i] = Pack<T, kPack>::load(x + (first + r) * call.rowStride + c);
            }
    };

    // Without divisions in the loop: each takes as long as the rest of a turn.
    const int stride = static_cast<int>(gridDim.x) * Rows, tokenStep = stride % tokens;
    std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * Rows;
    int token = static_cast<int>(first % tokens);
    load(first);
    for (int turn = 0; first < call.rows; first += stride, turn ^= 1) {
        Pack<T, kPack> present[Rows][Packs];
        float sums[Rows];
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            sums[r] = 0;
#pragma unroll
            for (int i = 0; i < Packs; ++i) {
                const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
                present[r][i] = next[r][i];
                if (c < channels) {
#pragma unroll
                    for (int k = 0; k < kPack; ++k) {
                        const float value = toFloat(present[r][i].values[k]);
                        sums[r] += value * value;
                    }
                }
            }
        }
        load(first + stride);
        Pack<float, kPack / 2> cosines[Rows][Packs], sines[Rows][Packs];
        if (call.cos != nullptr) {
#pragma unroll
            for (int r = 0; r < Rows; ++r) {
                const int own = token + r < tokens ? token + r : token + r - tokens;
                const std::int64_t angles = static_cast<std::int64_t>(own) * (headDim / 2);
#pragma unroll
                for (int i = 0; i < Packs; ++i) {
                    cosines[r][i] = Pack<float, kPack / 2>::load(call.cos + angles + angleOf[i]);
                    sines[r][i] = Pack<float, kPack / 2>::load(call.sin + angles + angleOf[i]);
                }
            }
        }
        token += tokenStep;
        if (token >= tokens) token -= tokens;
        blockSums<Rows>(sums, forSquares[turn]);
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            const float scale = rsqrtf(sums[r] / static_cast<float>(channels) + call.eps);
#pragma unroll
            for (int i = 0; i < Packs; ++i) {
                const int c = static_cast<int>(threadIdx.x + i * blockDim.x) * kPack;
                if (c >= channels || first + r >= call.rows) continue;
                float values[kPack];
#pragma unroll
                for (int k = 0; k < kPack; ++k)
                    values[k] = toFloat(present[r][i].values[k]) * scale * weights[i][k];
                if (call.cos != nullptr) {
#pragma unroll
                    for (int p = 0; p < kPack / 2; ++p) {
                        const float even = values[2 * p], odd = values[2 * p + 1];
                        const float cosine = cosines[r][i].values[p], sine = sines[r][i].values[p];
                        values[2 * p] = even * cosine - odd * sine;
                        values[2 * p + 1] = even * sine + odd * cosine;
                    }
                }
                packed<T>(values).store(x + (first + r) * call.rowStride + c);
            }
        }
    }
}

template <class T, int Packs, int Rows>
void launch(const RmsNormRotate& call, void* stream) {
    const unsigned threads = rowThreads(call.channels / kWide<T>, Packs);
    const auto kernel = rmsNormRotateRows<T, Packs, Rows>;
    kernel<<<residentBlocks(kernel, threads, (call.rows + Rows - 1) / Rows), threads, 0,
             static_cast<cudaStream_t>(stream)>>>(call);
}

}  // namespace

void rmsNormRotate(const RmsNormRotate& call, void* stream) {
    if (call.rows == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const std::int64_t packs = call.channels / kWide<T>;
        if (packs <= kMostThreadsARow)
            launch<T, 1, 2>(call, stream);
        else if (packs <= 2 * kMostThreadsARow)
            launch<T, 2, 1>(call, stream);
        else
            launch<T, 4, 1>(call, stream);
    });
    checkLaunch("rmsNormRotate");
}

}  // namespace reelgrid::kernels::cuda

#pragma once

// What is known of a head's columns before they are quantised: the mean of K over the sequence, the largest
// |V|. Two steps, slabs of tokens and then all of a head, always in the same order.

#include "kernels/cuda/attention/quantise/head_rows.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {

constexpr int kSlabTokens = 256;

inline int slabsOf(std::int64_t tokens) {
    return static_cast<int>((tokens + kSlabTokens - 1) / kSlabTokens);
}

/// The larger magnitude; a NaN stays.
__device__ inline float largerMagnitude(float most, float x) {
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(most), "f"(fabsf(x)));
    return larger;
}

enum class Statistic { Sum, LargestMagnitude };

template <Statistic kStatistic>
__device__ float joined(float a, float b) {
    if constexpr (kStatistic == Statistic::Sum) return a + b;
    return fmaxf(a, fabsf(b));  // without NaN: what is made of one says so itself
}

constexpr int kStatisticThreads = 256;

/// partial[head][slab][kHeadDim]: one block a slab.
template <class Element, int kHeadDim, Statistic kStatistic>
__global__ void __launch_bounds__(kStatisticThreads)
    slabStatistics(const RowSource rows, int slabs, float* partial) {
    constexpr int kPacks = kHeadDim / 8, kRowsAtOnce = kStatisticThreads / kPacks;
    const int pack = static_cast<int>(threadIdx.x) % kPacks, first = static_cast<int>(threadIdx.x) / kPacks;
    const std::int64_t head = blockIdx.x / slabs, slab = blockIdx.x % slabs;
    const auto* data = static_cast<const Element*>(rows.data) + head / rows.heads * rows.strides.batch +
                       head % rows.heads * rows.strides.head + 8 * pack;
    float here[8] = {};
    if (8 * pack < rows.headDim) {
#pragma unroll 8
        for (int r = first; r < kSlabTokens; r += kRowsAtOnce) {
            const std::int64_t token = slab * kSlabTokens + r;
            if (token >= rows.tokens) break;
            const auto values =
                asPack<Element>(__ldg(reinterpret_cast<const uint4*>(data + token * rows.strides.token)));
#pragma unroll
            for (int i = 0; i < 8; ++i) here[i] = joined<kStatistic>(here[i], toFloat(values.values[i]));
        }
    }
    __shared__ float all[kRowsAtOnce][kHeadDim];
#pragma unroll
    for (int i = 0; i < 8; ++i) all[first][8 * pack + i] = here[i];
    __syncthreads();
    if (threadIdx.x >= kHeadDim) return;
    float joint = all[0][threadIdx.x];
#pragma unroll
    for (int r = 1; r < kRowsAtOnce; ++r) joint = joined<kStatistic>(joint, all[r][threadIdx.x]);
    partial[(head * slabs + slab) * kHeadDim + threadIdx.x] = joint;
}

/// One block a head, 1024 threads: mean[head][kHeadDim] of the sums.
template <int kHeadDim>
__global__ void __launch_bounds__(1024)
    meansOfSlabs(const float* partial, int slabs, int tokens, float* means) {
    constexpr int kParts = 1024 / kHeadDim;
    __shared__ double all[kParts][kHeadDim];
    const int column = static_cast<int>(threadIdx.x) % kHeadDim,
              part = static_cast<int>(threadIdx.x) / kHeadDim;
    const float* from = partial + std::int64_t{blockIdx.x} * slabs * kHeadDim + column;
    double sum = 0;
    for (int slab = part; slab < slabs; slab += kParts) sum += static_cast<double>(from[slab * kHeadDim]);
    all[part][column] = sum;
    __syncthreads();
    if (part != 0) return;
    for (int other = 1; other < kParts; ++other) sum += all[other][column];
    means[blockIdx.x * kHeadDim + column] = static_cast<float>(sum / tokens);
}

/// Queues a copy of what was found out over a longer sequence, [heads][headDim], to [heads][kHeadDim], zeros
/// behind each head's.
template <int kHeadDim>
void copyStatistics(const float* given, int headDim, std::int64_t heads, float* to, cudaStream_t stream) {
    constexpr std::size_t kRow = kHeadDim * sizeof(float);
    const std::size_t row = static_cast<std::size_t>(headDim) * sizeof(float);
    cudaMemsetAsync(to, 0, static_cast<std::size_t>(heads) * kRow, stream);
    cudaMemcpy2DAsync(to, kRow, given, row, row, static_cast<std::size_t>(heads), cudaMemcpyDeviceToDevice,
                      stream);
    checkLaunch("the copy of a sequence's statistics");
}

/// K's mean over the sequence, a head at a time: partial and means as above. `given`: that of a longer
/// sequence, [heads][rows.headDim], or null.
template <class Element, int kHeadDim>
void meanOverTokens(const RowSource& rows, const float* given, std::int64_t heads, float* partial,
                    float* means, cudaStream_t stream) {
    if (given != nullptr) return copyStatistics<kHeadDim>(given, rows.headDim, heads, means, stream);
    const int slabs = slabsOf(rows.tokens);
    slabStatistics<Element, kHeadDim, Statistic::Sum>
        <<<rowBlocks(heads * slabs), kStatisticThreads, 0, stream>>>(rows, slabs, partial);
    checkLaunch("the sums of the keys");
    meansOfSlabs<kHeadDim><<<rowBlocks(heads), 1024, 0, stream>>>(partial, slabs, rows.tokens, means);
    checkLaunch("the mean of the keys");
}

}  // namespace reelgrid::kernels::cuda::device

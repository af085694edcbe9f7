#pragma once

// V as e4m3, transposed: sixteen keys of a channel side by side, in the order in which the weights come out
// of the accumulators.

#include "kernels/cuda/attention/e4m3.cuh"
#include "kernels/cuda/attention/quantise/column_statistics.cuh"
#include "kernels/cuda/attention/quantise/quantise_rows.cuh"

namespace reelgrid::kernels::cuda::device {

enum class Share { Channel, Head };  ///< what shares a scale

struct ValueScaling {
    Share share;
    float largest = kLargestE4m3;  ///< what the largest magnitude becomes
};

/// One block a head, 1024 threads: scales[head][kHeadDim] of the slabs' largest magnitudes.
template <int kHeadDim>
__global__ void __launch_bounds__(1024)
    scalesOfSlabs(const float* partial, int slabs, const ValueScaling scaling, float* scales) {
    constexpr int kParts = 1024 / kHeadDim;
    __shared__ float all[kParts][kHeadDim];
    const int column = static_cast<int>(threadIdx.x) % kHeadDim,
              part = static_cast<int>(threadIdx.x) / kHeadDim;
    const float* from = partial + std::int64_t{blockIdx.x} * slabs * kHeadDim + column;
    float most = 0;
    for (int slab = part; slab < slabs; slab += kParts) most = fmaxf(most, from[slab * kHeadDim]);
    all[part][column] = most;
    __syncthreads();
    if (part != 0) return;
    const auto column0 = scaling.share == Share::Channel ? column : 0;
    const auto columns = scaling.share == Share::Channel ? 1 : kHeadDim;
    for (int c = column0; c < column0 + columns; ++c)
        for (int other = 0; other < kParts; ++other) most = fmaxf(most, all[other][c]);
    scales[blockIdx.x * kHeadDim + column] = most / scaling.largest;
}

struct QuantisedValues {
    std::uint8_t* bytes;  ///< [heads][keyRows / 16][D][16], keys in the order of valueKeyOf()
    int keyRows;          ///< of a head, whole tiles: those beyond the tensor become zeros
    float* scales;        ///< [heads][D]
};

constexpr int kValueThreads = 256;

template <class Element, int kHeadDim>
__global__ void __launch_bounds__(kValueThreads)
    valuesToE4m3(const RowSource rows, const QuantisedValues to, int blocks) {
    constexpr int kPairs = kHeadDim / 2, kGroups = kValueThreads / kPairs;
    const std::int64_t head = blockIdx.x / blocks;
    const int group =
        static_cast<int>(blockIdx.x) % blocks * kGroups + static_cast<int>(threadIdx.x) / kPairs;
    const int channel = static_cast<int>(threadIdx.x) % kPairs * 2;
    if (16 * group >= to.keyRows) return;
    const auto* data = static_cast<const Element*>(rows.data) + head / rows.heads * rows.strides.batch +
                       head % rows.heads * rows.strides.head + channel;
    std::uint32_t pairs[16] = {};
#pragma unroll
    for (int slot = 0; slot < 16; ++slot) {
        const std::int64_t token = 16 * group + valueKeyOf(slot);
        if (token < rows.tokens && channel < rows.headDim)
            pairs[slot] = __ldg(reinterpret_cast<const std::uint32_t*>(data + token * rows.strides.token));
    }
    uint4* place = reinterpret_cast<uint4*>(to.bytes + head * to.keyRows * kHeadDim) +
                   std::int64_t{group} * kHeadDim + channel;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const float scale = to.scales[head * kHeadDim + channel + i];
        withDivider(scale == 0 ? 1.0F : scale, [&](const auto& divided) {
            float x[16];
#pragma unroll
            for (int slot = 0; slot < 16; ++slot)
                x[slot] = divided(toFloat(reinterpret_cast<const Pack<Element, 2>&>(pairs[slot]).values[i]));
            place[i] = {fourE4m3(x[0], x[1], x[2], x[3]), fourE4m3(x[4], x[5], x[6], x[7]),
                        fourE4m3(x[8], x[9], x[10], x[11]), fourE4m3(x[12], x[13], x[14], x[15])};
        });
    }
}

/// Queues scales and values of all heads. partial: [heads][slabs][kHeadDim]; maxima: those of a longer
/// sequence, [heads][rows.headDim], or null.
template <class Element, int kHeadDim>
void quantiseValuesToE4m3(const RowSource& rows, const float* maxima, const QuantisedValues& to,
                          const ValueScaling& scaling, std::int64_t heads, float* partial,
                          cudaStream_t stream) {
    const int slabs = maxima != nullptr ? 1 : slabsOf(rows.tokens);
    if (maxima != nullptr) {
        copyStatistics<kHeadDim>(maxima, rows.headDim, heads, partial, stream);
    } else {
        slabStatistics<Element, kHeadDim, Statistic::LargestMagnitude>
            <<<rowBlocks(heads * slabs), kStatisticThreads, 0, stream>>>(rows, slabs, partial);
        checkLaunch("the search for the largest values");
    }
    scalesOfSlabs<kHeadDim><<<rowBlocks(heads), 1024, 0, stream>>>(partial, slabs, scaling, to.scales);
    checkLaunch("the scales of the values");
    constexpr int kKeysAtOnce = 16 * kValueThreads / (kHeadDim / 2);
    const int blocks = (to.keyRows + kKeysAtOnce - 1) / kKeysAtOnce;
    valuesToE4m3<Element, kHeadDim>
        <<<rowBlocks(heads * blocks), kValueThreads, 0, stream>>>(rows, to, blocks);
    checkLaunch("the quantising of the values");
}

}  // namespace reelgrid::kernels::cuda::device

#include "kernels/cuda/head_rows.cuh"
#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kThreads = 256;

/// Several blocks a row, a thread 16 bytes; those of a head are neighbours in a warp.
template <class T, int HeadDim>
__global__ void __launch_bounds__(kThreads) joinHeadRows(JoinHeads call, unsigned blocksOfRow) {
    constexpr int kPack = kWide<T>, kHeadLanes = HeadDim / kPack;
    const int packs = static_cast<int>(call.channels) / kPack;  // of queries, of keys, of values
    const unsigned row = blockIdx.x / blocksOfRow;
    const int place = static_cast<int>(blockIdx.x % blocksOfRow * kThreads + threadIdx.x);
    const bool isThere = place < 3 * packs;  // others stay for the sums
    Pack<T, kPack> pack{};
    if (isThere)
        pack = Pack<T, kPack>::load(static_cast<const T*>(call.x) +
                                    (std::int64_t{row} * 3 * packs + place) * kPack);

    float values[kPack], squares = 0;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
        values[k] = toFloat(pack.values[k]);
        squares += values[k] * values[k];
    }
    squares = headSum<kHeadLanes>(squares);
    if (!isThere) return;
    const float* weight = place < packs ? call.queryWeight : place < 2 * packs ? call.keyWeight : nullptr;
    if (weight != nullptr) {
        const float scale = rsqrtf(squares / HeadDim + call.eps);
        const auto weights = Pack<float, kPack>::load(weight + place % kHeadLanes * kPack);
#pragma unroll
        for (int k = 0; k < kPack; ++k) values[k] = values[k] * scale * weights.values[k];
        pack = packed<T>(values);
    }
    const auto tokens = static_cast<unsigned>(call.tokens);  // as few as rows
    const std::int64_t to = row / tokens * call.outTokens + call.firstToken + row % tokens;
    pack.store(static_cast<T*>(call.out) + (to * 3 * packs + place) * kPack);
}

}  // namespace

void joinHeads(const JoinHeads& call, void* stream) {
    if (call.rows == 0) return;
    withType(call.type, [&]<class T>(T*) {
        const std::int64_t blocksOfRow = (3 * call.channels / kWide<T> + kThreads - 1) / kThreads;
        withHeadDim(call.headDim, [&]<class Head>(Head) {
            joinHeadRows<T, Head::kDim>
                <<<rowBlocks(call.rows * blocksOfRow), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
                    call, static_cast<unsigned>(blocksOfRow));
        });
    });
    checkLaunch("joinHeads");
}

}  // namespace reelgrid::kernels::cuda::device

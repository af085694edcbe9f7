#pragma once

// What kernels over rows of heads share: a head's channels lie side by side in neighbouring lanes.

#include <cstdint>

namespace reelgrid::kernels::cuda::device {

/// The sum over the lanes that hold a head, the same bits in each of them.
template <int Lanes>
__device__ float headSum(float x) {
#pragma unroll
    for (int distance = Lanes / 2; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xffffffffU, x, distance);
    return x;
}

template <int Dim>
struct HeadDimOf {
    static constexpr int kDim = Dim;
};

/// Calls with(HeadDimOf<…>) for a head dim of 16, 32, 64 or 128.
template <class Function>
void withHeadDim(std::int64_t headDim, Function&& with) {
    if (headDim == 16) return with(HeadDimOf<16>());
    if (headDim == 32) return with(HeadDimOf<32>());
    if (headDim == 64) return with(HeadDimOf<64>());
    return with(HeadDimOf<128>());
}

}  // namespace reelgrid::kernels::cuda::device

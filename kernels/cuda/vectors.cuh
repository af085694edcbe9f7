#pragma once

// Sixteen bytes at a time: how rows of fp32, bf16 and fp16 are read and written.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace reelgrid::kernels::cuda::device {

/// `Count` values of T that lie side by side, as fp32.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Pack {
    T values[Count];

    __device__ static Pack load(const T* from) { return *reinterpret_cast<const Pack*>(from); }
    __device__ void store(T* to) const { *reinterpret_cast<Pack*>(to) = *this; }
};

/// Values of T in 16 bytes.
template <class T>
constexpr int kWide = 16 / static_cast<int>(sizeof(T));

/// Sixteen bytes as they came.
template <class T>
__device__ Pack<T, kWide<T>> asPack(const uint4& bytes) {
    return *reinterpret_cast<const Pack<T, kWide<T>>*>(&bytes);
}

/// Has what is computed of the bytes computed again after this, as the compiler would else hold a register
/// for each of the values.
__device__ inline void keepPacked(uint4& bytes) {
    asm volatile("" : "+r"(bytes.x), "+r"(bytes.y), "+r"(bytes.z), "+r"(bytes.w));
}

__device__ inline float toFloat(float x) {
    return x;
}
__device__ inline float toFloat(__nv_bfloat16 x) {
    return __bfloat162float(x);
}
__device__ inline float toFloat(__half x) {
    return __half2float(x);
}

/// Rounded to nearest even; sixteen-bit types two at a time, which is one instruction.
template <class T, int Count>
__device__ Pack<T, Count> packed(const float (&values)[Count]) {
    Pack<T, Count> pack;
    if constexpr (sizeof(T) == 4) {
#pragma unroll
        for (int k = 0; k < Count; ++k) pack.values[k] = values[k];
    } else {
#pragma unroll
        for (int k = 0; k < Count; k += 2) {
            if constexpr (std::is_same_v<T, __half>) {
                const __half2 two = __floats2half2_rn(values[k], values[k + 1]);
                pack.values[k] = two.x;
                pack.values[k + 1] = two.y;
            } else {
                const __nv_bfloat162 two = __floats2bfloat162_rn(values[k], values[k + 1]);
                pack.values[k] = two.x;
                pack.values[k + 1] = two.y;
            }
        }
    }
    return pack;
}

__device__ inline float warpSum(float x) {
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffU, x, distance);
    return x;
}

/// The sum over the block's threads, the same bits in each of them. `perWarp`: 32 floats of shared memory,
/// not to be used again before the next barrier of the block.
__device__ inline float blockSum(float x, float* perWarp) {
    x = warpSum(x);
    const int warps = static_cast<int>(blockDim.x) / 32;
    if (warps == 1) return x;
    if (threadIdx.x % 32 == 0) perWarp[threadIdx.x / 32] = x;
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return warpSum(lane < warps ? perWarp[lane] : 0.0F);
}

}  // namespace reelgrid::kernels::cuda::device

#pragma once

// What sla's kernels share.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"
#include "kernels/cuda/attention/sparse/kept_blocks.cuh"

namespace reelgrid::kernels::cuda::device {

/// Whether the linear branch is there: only with a projection.
enum class Branch { None, Linear };

/// sla's kernels are launched before the one before is through, to start without a gap: what it wrote is
/// there after this. On GPUs before Hopper they wait to be started.
__device__ inline void afterPrevious() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;" ::: "memory");
#endif
}

template <class Element>
__device__ inline float2 unpack(std::uint32_t pair) {
    if constexpr (std::is_same_v<Element, __half>)
        return __half22float2(*reinterpret_cast<const __half2*>(&pair));
    else
        return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000U)};
}
template <class Element>
__device__ inline void unpack(const uint4& packed, float (&x)[8]) {
    const std::uint32_t pairs[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 pair = unpack<Element>(pairs[i]);
        x[2 * i] = pair.x;
        x[2 * i + 1] = pair.y;
    }
}

}  // namespace reelgrid::kernels::cuda::device

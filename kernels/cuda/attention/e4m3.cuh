#pragma once

// e4m3 values as the tensor cores read them, from compute capability 8.9 on: weights as the operand A that
// they become where they lie, keys of V in the order that this gives.

#include <cstdint>

#include "kernels/attention/method.h"

namespace reelgrid::kernels::cuda::device {

/// Weights are 2^(score − base + this) where P becomes e4m3: 8.807 is SageAttention2's S_FP8_OFFSET, times
/// 448.
constexpr float weightOffsetOf(Method method) {
    switch (method) {
        case Method::Flash3Fp8:
            return 8.0F;
        case Method::Sage2:
        case Method::SageSparseLinear:
            return 8.807F;
        default:
            return 0.0F;
    }
}

constexpr float kLargestE4m3 = 448.0F;

/// Which of 16 keys the weights of A's place `slot` belong to, when A is packed from accumulators as
/// packWeights() does: V's keys are stored in this order.
__host__ __device__ constexpr int valueKeyOf(int slot) {
    return slot / 4 * 2 + slot % 2 + slot % 4 / 2 * 8;
}

/// Four values as e4m3, the first in the lowest byte; beyond ±448 they stay there.
__device__ inline std::uint32_t fourE4m3(float a, float b, float c, float d) {
    std::uint32_t four;
    asm("{\n.reg .b16 low, high;\n"
        "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
        "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n"
        "mov.b32 %0, {low, high};\n}"
        : "=r"(four)
        : "f"(a), "f"(b), "f"(c), "f"(d));
    return four;
}

/// Accumulators of 32 columns, every two of which lie in this thread, as A's registers.
__device__ inline void packWeights(std::uint32_t* a, const float* d) {
    a[0] = fourE4m3(d[0], d[1], d[4], d[5]);
    a[1] = fourE4m3(d[2], d[3], d[6], d[7]);
    a[2] = fourE4m3(d[8], d[9], d[12], d[13]);
    a[3] = fourE4m3(d[10], d[11], d[14], d[15]);
}

}  // namespace reelgrid::kernels::cuda::device

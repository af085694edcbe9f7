#pragma once

namespace reelgrid::kernels::cuda::device {

/// x / (1 + e^-x) by the units for powers of two and reciprocals, each within two units in the last place.
__device__ inline float silu(float x) {
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-1.4426950408889634F * x));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(1.0F + power));
    return x * inverse;
}

}  // namespace reelgrid::kernels::cuda::device

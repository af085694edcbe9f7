#pragma once

namespace reelgrid::kernels::cuda::device {

__device__ inline float geluTanh(float x) {
    constexpr float kInner = 0.7978845608F, kCubic = 0.044715F;
    return 0.5F * x * (1.0F + tanhf(kInner * (x + kCubic * x * x * x)));
}

}  // namespace reelgrid::kernels::cuda::device

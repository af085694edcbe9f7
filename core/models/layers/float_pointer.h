#pragma once

#include <ATen/ATen.h>

namespace reelgrid::models {

/// The values of an fp32 tensor as kernels take what may be left out; null where it is undefined.
inline const float* floatsOrNull(const at::Tensor& x) {
    return x.defined() ? x.const_data_ptr<float>() : nullptr;
}

}  // namespace reelgrid::models

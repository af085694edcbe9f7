#pragma once

#include <ATen/ATen.h>

#include "core/safetensors/element_type.h"

namespace reelgrid::weights {

at::ScalarType scalarTypeOf(safetensors::ElementType type);

/// Throws Failure(Unsupported) for a dtype that isn't written.
safetensors::ElementType elementTypeOf(at::ScalarType dtype);

}  // namespace reelgrid::weights

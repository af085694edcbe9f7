#pragma once

#include <ATen/ATen.h>

#include <string>

#include "core/safetensors/element_type.h"

namespace reelgrid::weights {

at::ScalarType scalarTypeOf(safetensors::ElementType type);

/// Throws Failure(Unsupported) for a dtype that isn't written.
safetensors::ElementType elementTypeOf(at::ScalarType dtype);

/// Of a parameter; throw Failure(InvalidData): "<where> has dtype Byte, a floating-point one was needed".
void requireFloatingPoint(at::ScalarType dtype, const std::string& where);
void requireInt8(at::ScalarType dtype, const std::string& where);

}  // namespace reelgrid::weights

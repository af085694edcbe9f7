#pragma once

#include "core/pt/value.h"

namespace reelgrid::pt {

/// Throws Failure(InvalidData), naming shape and strides, unless the tensor's sizes make sense and all its
/// elements lie within the first `elements` of its storage.
void checkWithin(const Tensor& tensor, std::int64_t elements);

}  // namespace reelgrid::pt

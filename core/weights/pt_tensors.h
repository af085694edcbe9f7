#pragma once

#include <ATen/ATen.h>

#include "core/pt/value.h"

namespace reelgrid::weights {

/// The tensor of a .pt file, with its strides. It keeps the file mapped and must not be written to.
at::Tensor tensorFrom(const pt::Tensor& stored);

/// A tensor on the CPU as a .pt file holds it, with its strides and whole storage, which it keeps. Throws
/// Failure(Unsupported) for a dtype that isn't written.
pt::Tensor ptTensorOf(const at::Tensor& tensor);

}  // namespace reelgrid::weights

#pragma once

#include <string>

#include "core/machine/cpu.h"

namespace reelgrid::catalog {

/// The dtype that is fastest at equal quality on a CPU: "bf16" where it has bf16 dot products (AVX-512 BF16),
/// else "fp32", which needs no conversions there.
std::string defaultDtype(const machine::Cpu& cpu);

}  // namespace reelgrid::catalog

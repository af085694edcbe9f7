#pragma once

#include <string>

namespace reelgrid::catalog {

/// The dtype that is fastest at equal quality on this machine's CPU: "bf16" where it has bf16 dot products
/// (AVX-512 BF16), else "fp32", which needs no conversions there.
std::string defaultDtype();

}  // namespace reelgrid::catalog

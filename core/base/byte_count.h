#pragma once

#include <cstdint>
#include <string>

namespace reelgrid {

/// "1.5 GB": powers of 1000, one decimal.
std::string byteCount(std::uint64_t bytes);

}  // namespace reelgrid

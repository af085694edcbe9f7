#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace reelgrid::parallel {

/// Ulysses gives each rank whole heads. Throws BadUsage naming both numbers where the degree is no divisor.
inline void requireDivisor(int ulyssesDegree, std::int64_t heads) {
    if (heads % ulyssesDegree == 0) return;
    throw Failure(ErrorCode::BadUsage, "--ulysses-degree " + std::to_string(ulyssesDegree) +
                                           ": the model's attention has " + std::to_string(heads) +
                                           " heads, a divisor of them was needed (--ring-degree and "
                                           "--cfg-parallel share ranks out, too)");
}

}  // namespace reelgrid::parallel

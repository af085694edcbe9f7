#include "core/weights/shape_check.h"

#include <algorithm>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::weights {

using safetensors::shapeText;

void throwMissing(const std::string& where, const std::string& name, std::span<const std::int64_t> needed) {
    throw Failure(ErrorCode::InvalidData,
                  where + ": tensor " + name + " is missing, shape " + shapeText(needed) + " was needed");
}

void requireShape(const std::string& where, const std::string& name, std::span<const std::int64_t> stored,
                  std::span<const std::int64_t> needed) {
    if (std::ranges::equal(stored, needed)) return;
    throw Failure(ErrorCode::InvalidData, where + ": tensor " + name + " has shape " + shapeText(stored) +
                                              ", the config needs " + shapeText(needed));
}

}  // namespace reelgrid::weights

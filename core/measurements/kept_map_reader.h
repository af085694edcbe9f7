#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/measurements/capture_results.h"

namespace reelgrid::measurements {

/// The map of kept blocks in a document of `captures show --map`. InvalidData naming the field, its value and
/// what was needed.
Result<KeptMap> keptMapFrom(const nlohmann::json& object);

}  // namespace reelgrid::measurements

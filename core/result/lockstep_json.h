#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/metrics/lockstep_map.h"

namespace reelgrid::result {

/// The object "lockstep" of metrics.json. Lists of lists are one list a step, with one number a layer; what
/// was not measured is null, or absent as a whole.
nlohmann::ordered_json toJson(const metrics::LockstepMap& map);

/// InvalidData naming what is wrong: every list has to have its numbers for all layers and steps.
Result<metrics::LockstepMap> lockstepFromJson(const nlohmann::json& object);

}  // namespace reelgrid::result

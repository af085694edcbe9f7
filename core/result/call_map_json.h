#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/protocol/call_map.h"

namespace reelgrid::result {

/// {"choices": [{"requested", "used", "why"}], "maps": [{"module", "branch", "layers", "steps": [[index or
/// null]]}]}: of each module a list of steps, each a list of layers.
nlohmann::json toJson(const protocol::CallMaps& maps);

/// InvalidData naming what is wrong.
Result<protocol::CallMaps> callMapsFromJson(const nlohmann::json& object);

}  // namespace reelgrid::result

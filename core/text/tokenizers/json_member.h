#pragma once

#include <nlohmann/json.hpp>

namespace reelgrid::text {

/// Null where it isn't there, or `object` is none.
inline const nlohmann::json& memberOf(const nlohmann::json& object, const char* key) {
    static const nlohmann::json kNone;
    const auto found = object.find(key);
    return found == object.end() ? kNone : *found;
}

}  // namespace reelgrid::text

#include "core/families/config_bounds.h"

#include <nlohmann/json.hpp>
#include <string>

namespace reelgrid::families {

Error outOfRange(const ModelIndex& index, const std::string& key, const std::string& value,
                 const std::string& needed) {
    return {ErrorCode::InvalidData,
            index.folder().string() + ": " + key + " " + value + ": " + needed + " was needed"};
}

Result<void> checkTextEncoder(const ModelIndex& index, const std::string& component,
                              const std::string& className) {
    const nlohmann::json entry = index.json().value(component, nlohmann::json());
    const bool isTransformers = entry.is_array() && entry.size() == 2 && entry[0] == "transformers";
    if (isTransformers && entry[1].is_string() && entry[1] != className)
        return outOfRange(index, component, entry[1].get<std::string>(), className);
    return {};
}

Result<void> checkBounds(const ModelIndex& index, std::span<const ConfigBound> bounds) {
    for (const ConfigBound& bound : bounds)
        if (bound.value < 1 || bound.value > bound.most)
            return outOfRange(index, bound.key, std::to_string(bound.value),
                              "1 to " + std::to_string(bound.most));
    return {};
}

}  // namespace reelgrid::families

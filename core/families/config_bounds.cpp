#include "core/families/config_bounds.h"

#include <string>

namespace reelgrid::families {

Error outOfRange(const ModelIndex& index, const std::string& key, const std::string& value,
                 const std::string& needed) {
    return {ErrorCode::InvalidData,
            index.folder().string() + ": " + key + " " + value + ": " + needed + " was needed"};
}

Result<void> checkBounds(const ModelIndex& index, std::span<const ConfigBound> bounds) {
    for (const ConfigBound& bound : bounds)
        if (bound.value < 1 || bound.value > bound.most)
            return outOfRange(index, bound.key, std::to_string(bound.value),
                              "1 to " + std::to_string(bound.most));
    return {};
}

}  // namespace reelgrid::families

#pragma once

#include <algorithm>
#include <string_view>

#include "core/families/model_info.h"

namespace reelgrid::families {

/// By its name in model_index.json, such as "transformer_2".
inline bool hasComponent(const ModelInfo& model, std::string_view name) {
    return std::ranges::find(model.components, name, &ComponentInfo::name) != model.components.end();
}

}  // namespace reelgrid::families

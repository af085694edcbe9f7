#pragma once

#include <span>
#include <string_view>

#include "core/families/family.h"

namespace reelgrid::families {

/// Of all families, in their order.
std::span<const AttentionPreset> attentionPresets();

/// Null when there is none of that name.
const AttentionPreset* findPreset(std::string_view name);

}  // namespace reelgrid::families

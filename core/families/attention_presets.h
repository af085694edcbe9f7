#pragma once

#include <span>
#include <string_view>

namespace reelgrid::families {

/// An attention call of a published model, of one guidance branch.
struct AttentionPreset {
    std::string_view name;   ///< as bench attention's --shape takes it
    std::string_view shape;  ///< B,H,N,D or B,H,N,D,Nk
    std::string_view origin;
};

std::span<const AttentionPreset> attentionPresets();

/// Null when there is none of that name.
const AttentionPreset* findPreset(std::string_view name);

}  // namespace reelgrid::families

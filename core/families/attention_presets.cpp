#include "core/families/attention_presets.h"

#include <algorithm>
#include <vector>

namespace reelgrid::families {
namespace {

std::vector<AttentionPreset> presetsOfAll() {
    std::vector<AttentionPreset> all;
    for (const Family& family : families())
        all.insert(all.end(), family.attentionPresets.begin(), family.attentionPresets.end());
    return all;
}

}  // namespace

std::span<const AttentionPreset> attentionPresets() {
    static const std::vector<AttentionPreset> kPresets = presetsOfAll();
    return kPresets;
}

const AttentionPreset* findPreset(std::string_view name) {
    const auto presets = attentionPresets();
    const auto found = std::ranges::find(presets, name, &AttentionPreset::name);
    return found == presets.end() ? nullptr : &*found;
}

}  // namespace reelgrid::families

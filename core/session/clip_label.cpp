#include "core/session/clip_label.h"

#include <algorithm>

namespace reelgrid::session {

std::string clipLabel(const std::string& attention, const ClipMeasurements& measured) {
    std::string ran;
    for (const char* module : {"self", "cross"}) {
        const bool replaced = std::ranges::any_of(measured.attention, [&](const AttentionUse& use) {
            return use.module == module && use.used != use.requested;
        });
        if (!replaced) continue;
        if (!ran.empty()) ran += "; ";
        if (module == std::string("cross")) ran += "cross-attention ";
        ran += "ran " + measured.usedAttention(module);
    }
    return ran.empty() ? attention : attention + " (" + ran + ")";
}

}  // namespace reelgrid::session

#include "core/result/repeatability.h"

#include <algorithm>

namespace reelgrid::result {

Repeatability repeatabilityOf(const std::vector<protocol::CallRecord>& calls,
                              const std::vector<PluginRecord>& plugins) {
    Repeatability found;
    for (const PluginRecord& plugin : plugins) {
        if (std::ranges::find(calls, plugin.backend, &protocol::CallRecord::used) == calls.end()) continue;
        found.sameBits = false;
        found.whyNot += (found.whyNot.empty() ? "" : ", ") + plugin.backend;
    }
    if (!found.sameBits)
        found.whyNot = "nothing is known of the order in which the plug-in's kernel adds: " + found.whyNot;
    return found;
}

}  // namespace reelgrid::result

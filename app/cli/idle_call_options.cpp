#include "app/cli/idle_call_options.h"

#include <algorithm>

#include "app/cli/console.h"
#include "core/protocol/backend_option.h"
#include "kernels/backends/option_bounds.h"

namespace reelgrid::cli {
namespace {

std::string whichLayers(const std::vector<std::optional<int>>& layersOfCalls) {
    if (layersOfCalls.size() != 1)
        return "none of the " + std::to_string(layersOfCalls.size()) + " captured calls is of such a layer";
    const std::optional<int> only = layersOfCalls.front();
    return only ? "the captured call is of layer " + std::to_string(*only) : "the capture says no layer";
}

/// As --grid takes it.
std::string writtenGrid(const kernels::TokenGrid& grid) {
    std::string text =
        std::to_string(grid.frames) + "," + std::to_string(grid.rows) + "," + std::to_string(grid.columns);
    if (grid.textBefore != 0 || grid.textAfter != 0)
        text += "," + std::to_string(grid.textBefore) + "," + std::to_string(grid.textAfter);
    return text;
}

}  // namespace

void sayIdleLayers(const std::vector<std::string>& texts, const std::string& backend,
                   const std::vector<std::optional<int>>& layersOfCalls) {
    for (const auto& asked : protocol::choicesIn(texts)) {
        const auto layers = kernels::layersOfKey(asked.key);
        if (asked.backend != backend || !layers) continue;
        const bool isOfOne = std::ranges::any_of(layersOfCalls, [&](const std::optional<int>& layer) {
            return layer && layers->contains(*layer);
        });
        if (!isOfOne)
            sayIdle("--backend-option " + asked.backend + "." + asked.key, whichLayers(layersOfCalls));
    }
}

void sayIdleGrid(const kernels::TokenGrid& asked, const std::vector<kernels::TokenGrid>& gridsOfCalls) {
    if (!asked.isKnown() || std::ranges::find(gridsOfCalls, asked) != gridsOfCalls.end()) return;
    sayIdle("--grid", gridsOfCalls.size() == 1
                          ? "the capture says its own, " + writtenGrid(gridsOfCalls.front())
                          : "each capture says its own");
}

}  // namespace reelgrid::cli

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/protocol/attention_call.h"

namespace reelgrid::protocol {

/// What a call asked for and what served it.
struct BackendChoice {
    std::string requested;
    std::string used;
    std::string why;  ///< as in CallRecord

    bool operator==(const BackendChoice&) const = default;
};

/// One kind of attention, layer by layer and step by step.
struct CallMap {
    ModuleKind kind = ModuleKind::Self;
    std::optional<GuidanceBranch> branch;  ///< nothing: both passes of guidance had the same
    int layers = 0, steps = 0;
    std::vector<int> sites;  ///< step · layers + layer: index into CallMaps::choices; −1: no such call

    [[nodiscard]] int at(int layer, int step) const {
        return sites[std::size_t(step) * std::size_t(layers) + std::size_t(layer)];
    }
    bool operator==(const CallMap&) const = default;
};

/// Which backend every layer asked for and got in every step. Empty: not recorded.
struct CallMaps {
    std::vector<BackendChoice> choices;
    std::vector<CallMap> maps;

    bool operator==(const CallMaps&) const = default;
};

}  // namespace reelgrid::protocol

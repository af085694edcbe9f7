#pragma once

#include <string>

namespace reelgrid::parallel {

/// How ranks share a render: guidance's passes, and the tokens of each pass by ring and by Ulysses.
struct Degrees {
    int cfg = 1, ring = 1, ulysses = 1;

    [[nodiscard]] int ranks() const { return cfg * ring * ulysses; }
    /// Ranks that share the tokens of a pass.
    [[nodiscard]] int tokens() const { return ring * ulysses; }
    /// "--cfg-parallel 1 x --ring-degree 2 x --ulysses-degree 2"
    [[nodiscard]] std::string text() const {
        return "--cfg-parallel " + std::to_string(cfg) + " x --ring-degree " + std::to_string(ring) +
               " x --ulysses-degree " + std::to_string(ulysses);
    }

    bool operator==(const Degrees&) const = default;
};

}  // namespace reelgrid::parallel

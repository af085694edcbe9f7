#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reelgrid::tune {

/// What one backend would take and cost at each site (step · layers + layer), as predicted.
struct BackendCosts {
    std::string name;
    std::vector<double> seconds;
    std::vector<double> error;  ///< on budget.h's additive scale; infinite where the backend can't run
};

/// Everything that the search chooses from.
struct SiteCosts {
    int layers = 0, steps = 0;
    std::vector<BackendCosts> backends;
    /// What any clip that isn't sdpa throughout deviates by, from rounding alone.
    double floor = 0;
    /// The backend that deviates by nothing, as its place among `backends`; −1: it is not among them.
    int reference = -1;

    [[nodiscard]] std::size_t sites() const { return std::size_t(layers) * std::size_t(steps); }
};

/// For each site the place of its backend among SiteCosts::backends.
using Assignment = std::vector<int>;

}  // namespace reelgrid::tune

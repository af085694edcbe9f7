#pragma once

#include <cstdint>
#include <vector>

namespace reelgrid::schedulers {

/// The noise levels of flow matching: x = (1 - σ) picture + σ noise.
struct FlowSigmas {
    std::int64_t trainTimesteps = 1000;
    double shift = 1.0;          ///< pushes levels towards noise; larger for larger pictures
    double shiftTerminal = 0.0;  ///< stretches the levels to end here; 0: leaves them

    /// shift σ / (1 + (shift - 1) σ), then the stretch.
    void apply(std::vector<double>& sigmas) const;
};

/// numpy.linspace, rounding included.
std::vector<double> linspace(double first, double last, std::int64_t count);

/// Throws Failure(BadUsage) unless 1 ≤ steps ≤ the number of training timesteps.
void checkStepCount(std::int64_t steps, std::int64_t trainTimesteps);

}  // namespace reelgrid::schedulers

#pragma once

#include <string>
#include <vector>

#include "core/metrics/lockstep_map.h"
#include "core/tune/site_costs.h"

namespace reelgrid::tune {

/// A render with one backend throughout. The error is on budget.h's additive scale.
struct SingleRender {
    std::string backend;
    double seconds = 0;
    double error = 0;
};

/// A render of an assignment over the backends of `Measurements::singles`.
struct MixedRender {
    Assignment assignment;
    double error = 0;
};

/// All that is known by measuring.
struct Measurements {
    metrics::LockstepMap map;
    std::vector<SingleRender> singles;  ///< the reference too if it may be chosen
    double floor = 0;                ///< error of a backend that differs from the reference by rounding alone
    std::vector<MixedRender> mixed;  ///< in the order in which they were rendered
};

/// What the map can't tell and renders of mixed policies do.
struct Calibration {
    double growth = 0;  ///< an error in the first step weighs e^growth times as much as one in the last
    double scale = 1;   ///< of mixed errors: above 1, errors of different sites help each other
};

/// Time and error of every backend at every site.
///
/// Seconds: those of the backend's own render, shared among the layers as lockstep timed them (the median
/// over the steps, which do equal work); evenly where lockstep could not time calls.
///
/// Error: what the backend's own render has beyond the floor is shared among the sites: over the steps as
/// (step size · RMSE of the step's prediction)² · e^(growth · what is left of the way), over a step's layers
/// as the squared RMSE of their outputs. Sums of such shares take errors of different sites for independent.
SiteCosts siteCosts(const Measurements& known, const Calibration& calibration);

/// The growth that explains the mixed renders best (a usual one where there are none), and the scale that the
/// last of them needs.
Calibration calibrate(const Measurements& known);

}  // namespace reelgrid::tune

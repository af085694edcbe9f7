#include "core/schedulers/flow_sigmas.h"

#include <string>

#include "core/base/result.h"

namespace reelgrid::schedulers {

void FlowSigmas::apply(std::vector<double>& sigmas) const {
    for (double& sigma : sigmas) sigma = shift * sigma / (1 + (shift - 1) * sigma);
    if (shiftTerminal == 0) return;
    const double scale = (1 - sigmas.back()) / (1 - shiftTerminal);
    for (double& sigma : sigmas) sigma = 1 - (1 - sigma) / scale;
}

std::vector<double> linspace(double first, double last, std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count), first);
    if (count < 2) return values;
    const double step = (last - first) / static_cast<double>(count - 1);
    for (std::int64_t i = 1; i < count; ++i)
        values[static_cast<std::size_t>(i)] = static_cast<double>(i) * step + first;
    values.back() = last;
    return values;
}

void checkStepCount(std::int64_t steps, std::int64_t trainTimesteps) {
    if (steps < 1 || steps > trainTimesteps)
        throw Failure(ErrorCode::BadUsage, "num_inference_steps is " + std::to_string(steps) +
                                               ", a whole number from 1 to " +
                                               std::to_string(trainTimesteps) + " is needed");
}

}  // namespace reelgrid::schedulers

#include "core/tune/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/tune/search.h"

namespace reelgrid::tune {
namespace {

using metrics::LockstepBackend;
using metrics::LockstepMap;

/// The growth to begin with: what policies of the demo model showed (docs/guide/tuning.md).
constexpr double kUsualGrowth = 6;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The finite ones' middle; 0 when there is none.
double medianOf(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// `weights` made to sum up to `total`; evenly where they don't say anything.
std::vector<double> shared(std::vector<double> weights, double total) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight = sum > 0 ? weight / sum * total : total / double(weights.size());
    return weights;
}

std::vector<double> secondsOf(const LockstepMap& map, const std::vector<double>& measured, double total) {
    std::vector<double> weights(map.sites(), 0);
    for (int layer = 0; layer < map.layers && !measured.empty(); ++layer) {
        std::vector<double> ofLayer;
        for (int step = 0; step < map.steps; ++step) ofLayer.push_back(measured[map.site(layer, step)]);
        const double seconds = medianOf(std::move(ofLayer));
        for (int step = 0; step < map.steps; ++step) weights[map.site(layer, step)] = seconds;
    }
    return shared(std::move(weights), total);
}

double square(double value) {
    return value * value;
}

/// How much of the error the step brings in, in any unit.
double stepWeight(const LockstepMap& map, const LockstepBackend& backend, int step, double growth) {
    const auto index = std::size_t(step);
    const double flow = backend.flow.rmse[index], size = map.stepSize[index];
    const double left = map.steps > 1 ? 1 - double(step) / (map.steps - 1) : 0;
    const double weight = square(flow * size) * std::exp(growth * left);
    return std::isfinite(weight) ? weight : 0;
}

std::vector<double> errorsOf(const LockstepMap& map, const LockstepBackend& backend, double total,
                             double growth) {
    std::vector<double> weights(map.sites(), 0);
    const std::vector<double>& rmse = backend.attention.rmse;
    for (int step = 0; step < map.steps; ++step) {
        double sum = 0;
        for (int layer = 0; layer < map.layers; ++layer)
            if (std::isfinite(rmse[map.site(layer, step)])) sum += square(rmse[map.site(layer, step)]);
        const double ofStep = stepWeight(map, backend, step, growth);
        for (int layer = 0; layer < map.layers && sum > 0; ++layer)
            weights[map.site(layer, step)] = ofStep * square(rmse[map.site(layer, step)]) / sum;
    }
    for (double& weight : weights)
        if (!std::isfinite(weight)) weight = 0;
    std::vector<double> errors = shared(std::move(weights), total);
    for (std::size_t site = 0; site < errors.size(); ++site)
        if (!std::isfinite(rmse[site])) errors[site] = kInfinite;
    return errors;
}

/// log(measured / predicted) of what is beyond the floor.
double residualOf(const MixedRender& render, const SiteCosts& costs) {
    constexpr double kLeast = 1e-15, kWithinFloor = 0.1;
    const double expected = std::max(predicted(costs, render.assignment).error - costs.floor, kLeast);
    // One that came out below the floor tells no more than that it is small.
    return std::log(std::max(render.error - costs.floor, kWithinFloor * expected) / expected);
}

double misfit(const Measurements& known, double growth) {
    // A weak pull to the usual one, so that one render doesn't explain itself by an extreme.
    constexpr double kPull = 0.01;
    const SiteCosts costs = siteCosts(known, {growth, 1});
    double sum = kPull * square(growth - kUsualGrowth);
    for (const MixedRender& render : known.mixed) sum += square(residualOf(render, costs));
    return sum;
}

}  // namespace

SiteCosts siteCosts(const Measurements& known, const Calibration& calibration) {
    const LockstepMap& map = known.map;
    SiteCosts costs{.layers = map.layers, .steps = map.steps, .backends = {}, .floor = known.floor};
    for (const SingleRender& single : known.singles) {
        BackendCosts own{single.backend, {}, {}};
        if (single.backend == map.reference) {
            costs.reference = int(costs.backends.size());
            own.seconds = secondsOf(map, map.seconds, single.seconds);
            own.error.assign(map.sites(), 0);
        } else if (const LockstepBackend* backend = map.find(single.backend)) {
            const double beyondFloor = std::max(single.error - known.floor, 0.0);
            own.seconds = secondsOf(map, backend->seconds, single.seconds);
            own.error = errorsOf(map, *backend, beyondFloor * calibration.scale, calibration.growth);
        } else {
            own.seconds.assign(map.sites(), kInfinite);
            own.error.assign(map.sites(), kInfinite);
        }
        costs.backends.push_back(std::move(own));
    }
    return costs;
}

Calibration calibrate(const Measurements& known) {
    if (known.mixed.empty()) return {.growth = kUsualGrowth, .scale = 1};
    constexpr double kLeast = -8, kMost = 12, kStep = 0.25, kMostScale = 10;
    Calibration best;
    double least = kInfinite;
    for (double growth = kLeast; growth <= kMost; growth += kStep) {
        const double found = misfit(known, growth);
        if (found < least) {
            least = found;
            best.growth = growth;
        }
    }
    const double residual = residualOf(known.mixed.back(), siteCosts(known, best));
    best.scale = std::clamp(std::exp(residual), 1 / kMostScale, kMostScale);
    return best;
}

}  // namespace reelgrid::tune

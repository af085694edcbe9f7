#include "kernels/attention/method_options.h"

#include <string_view>
#include <utility>
#include <vector>

#include "kernels/backends/backend_option.h"
#include "kernels/backends/option_bounds.h"

namespace reelgrid::kernels {
namespace {

/// Three numbers of an option, or what it usually is.
void readOption(const AttentionProblem& p, std::string_view key, std::int64_t (&numbers)[3]) {
    const std::vector<double> read = numbersOf(valueOf(p.context.options, key));
    for (std::size_t i = 0; i < 3 && read.size() == 3; ++i) numbers[i] = static_cast<std::int64_t>(read[i]);
}
void readOption(const AttentionProblem& p, std::string_view key, double& number) {
    const std::string_view value = valueOf(p.context.options, key);
    if (!value.empty()) number = numbersOf(value).front();
}

SlidingTiles slidingTilesOf(const AttentionProblem& p) {
    SlidingTiles tiles;
    readOption(p, "tile", tiles.tile);
    readOption(p, "window", tiles.window);
    return tiles;
}

RadialWindow radialWindowOf(const AttentionProblem& p) {
    RadialWindow window;
    readOption(p, "decay", window.decay);
    return window;
}

std::string gridObstacle(const AttentionProblem& p) {
    const TokenGrid& grid = p.context.grid;
    if (!grid.isKnown()) return "nobody says where this call's tokens lie, needs their grid";
    if (grid.tokens() != p.queries || grid.tokens() != p.keys)
        return std::to_string(p.queries) + " queries and " + std::to_string(p.keys) + " keys, needs " +
               std::to_string(grid.tokens()) + " of both, the grid's";
    return {};
}

/// An option that is out of its bounds.
std::string boundsObstacle(std::string_view backend, const AttentionProblem& p) {
    for (const OptionValue& option : p.context.options) {
        const auto bounds = boundsOfOption(backend, option.key);
        if (!bounds) continue;
        for (const double number : numbersOf(option.value))
            if (!bounds->contains(number))
                return option.key + " " + option.value + ", needs " + bounds->text();
    }
    return {};
}

/// An option with a value for each head, and another number of heads; or on a device that takes one for all.
std::string headsObstacle(std::string_view backend, const AttentionProblem& p) {
    for (const OptionValue& option : p.context.options) {
        // Those of all layers stand first, those of some refer to them.
        if (!isOfEachHead(backend, option.key) || keyWithoutLayers(option.key) != option.key) continue;
        const std::size_t values =
            numbersOf(valueInLayer(p.context.options, option.key, p.context.layer)).size();
        if (values == 1) continue;
        if (p.device != Device::Cpu)
            return option.key + " has a value for each head, needs one for all of them on " +
                   nameOf(p.device);
        if (values != static_cast<std::size_t>(p.queryHeads))
            return option.key + " has " + std::to_string(values) + " values, needs one, or one for each of " +
                   std::to_string(p.queryHeads) + " heads";
    }
    return {};
}

/// The backend whose options a method reads.
std::string_view backendOf(Method method) {
    switch (method) {
        case Method::Sparge:
            return "sparge";
        case Method::SlidingTile:
            return "sta";
        case Method::Radial:
            return "radial";
        default:
            return {};
    }
}

}  // namespace

GridMap gridMapOf(Method method, const AttentionProblem& problem) {
    const MethodTraits traits = traitsOf(method, static_cast<int>(problem.headDim));
    const TokenGrid& grid = problem.context.grid;
    return traits.map == BlockMap::Tiles ? GridMap(grid, slidingTilesOf(problem), traits.sparse)
                                         : GridMap(grid, radialWindowOf(problem), traits.sparse);
}

std::vector<BlockPrediction> predictionsOf(const AttentionProblem& problem) {
    std::vector<BlockPrediction> predictions{problem.prediction};
    const std::pair<std::string_view, double BlockPrediction::*> kThresholds[] = {
        {"simthreshd1", &BlockPrediction::similarity},
        {"cdfthreshd", &BlockPrediction::cdf},
        {"pvthreshd", &BlockPrediction::faint}};
    for (const auto& [key, threshold] : kThresholds) {
        const std::string_view value = valueInLayer(problem.context.options, key, problem.context.layer);
        if (value.empty()) continue;
        const std::vector<double> ofHeads = numbersOf(value);
        if (ofHeads.size() > predictions.size()) predictions.resize(ofHeads.size(), predictions.front());
        for (std::size_t head = 0; head < predictions.size(); ++head)
            predictions[head].*threshold = ofHeads[head % ofHeads.size()];
    }
    return predictions;
}

BlockPrediction predictionOf(const AttentionProblem& problem) {
    return predictionsOf(problem).front();
}

std::string optionObstacle(Method method, const AttentionProblem& problem) {
    if (std::string obstacle = boundsObstacle(backendOf(method), problem); !obstacle.empty()) return obstacle;
    if (std::string obstacle = headsObstacle(backendOf(method), problem); !obstacle.empty()) return obstacle;
    const MethodTraits traits = traitsOf(method, static_cast<int>(problem.headDim));
    return traits.needsGrid() ? gridObstacle(problem) : std::string();
}

}  // namespace reelgrid::kernels

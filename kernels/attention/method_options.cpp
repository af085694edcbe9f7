#include "kernels/attention/method_options.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "kernels/backends/backend_option.h"

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
    const SlidingTiles tiles = slidingTilesOf(p);
    for (int axis = 0; axis < 3; ++axis)
        if (tiles.tile[axis] < 1 || tiles.window[axis] < 1)
            return "a tile or window below 1, needs 1 or more";
    if (!(radialWindowOf(p).decay > 0)) return "a decay that isn't above 0";
    return {};
}

std::string predictionObstacle(const AttentionProblem& p) {
    const auto outside = [&](std::string_view key, const char* needed) {
        return std::string(key) + " " + std::string(valueOf(p.context.options, key)) + ", needs " + needed;
    };
    // Of the options alone: who sets the problem's own values knows why.
    AttentionProblem usual = p;
    usual.prediction = {};
    const BlockPrediction asked = predictionOf(usual);
    if (!(asked.similarity >= -1 && asked.similarity <= 1)) return outside("simthreshd1", "-1 to 1");
    if (!(asked.cdf >= 0 && asked.cdf <= 1)) return outside("cdfthreshd", "0 to 1");
    if (!(asked.faint > 0 && std::isfinite(asked.faint))) return outside("pvthreshd", "a number above 0");
    return {};
}

}  // namespace

GridMap gridMapOf(Method method, const AttentionProblem& problem) {
    const MethodTraits traits = traitsOf(method, static_cast<int>(problem.headDim));
    const TokenGrid& grid = problem.context.grid;
    return traits.map == BlockMap::Tiles ? GridMap(grid, slidingTilesOf(problem), traits.sparse)
                                         : GridMap(grid, radialWindowOf(problem), traits.sparse);
}

BlockPrediction predictionOf(const AttentionProblem& problem) {
    BlockPrediction prediction = problem.prediction;
    readOption(problem, "simthreshd1", prediction.similarity);
    readOption(problem, "cdfthreshd", prediction.cdf);
    readOption(problem, "pvthreshd", prediction.faint);
    return prediction;
}

std::string optionObstacle(Method method, const AttentionProblem& problem) {
    const MethodTraits traits = traitsOf(method, static_cast<int>(problem.headDim));
    if (traits.needsGrid()) return gridObstacle(problem);
    return traits.map == BlockMap::Predicted ? predictionObstacle(problem) : std::string();
}

}  // namespace reelgrid::kernels

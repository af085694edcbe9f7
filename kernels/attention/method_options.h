#pragma once

#include <string>
#include <vector>

#include "kernels/attention/grid_map.h"
#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"

namespace reelgrid::kernels {

/// The map of a method whose traits need the grid, over the problem's grid and as its options have it.
GridMap gridMapOf(Method method, const AttentionProblem& problem);

/// What sparge predicts its blocks by: the problem's values, and in the place of each what an option says.
/// One for all heads, or one for each query head where an option has that many values.
std::vector<BlockPrediction> predictionsOf(const AttentionProblem& problem);
/// The same where every head has the same: the first.
BlockPrediction predictionOf(const AttentionProblem& problem);

/// What keeps a method from a problem whatever the device: an option out of its bounds, or that nobody says
/// where the tokens lie. Empty: nothing.
std::string optionObstacle(Method method, const AttentionProblem& problem);

}  // namespace reelgrid::kernels

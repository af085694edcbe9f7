#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/step_cache_json.h"

namespace reelgrid::tune {

/// Of a render that coefficients are fitted to: what changes from one to the next has to change, too.
inline constexpr int kLeastRecordedSteps = 3;

/// From one denoising step to the next, of a render whose passes all ran whole.
struct RecordedStep {
    int step = 0;          ///< the later one
    double embedding = 0;  ///< relative L1 change of the timestep's embedding
    double added = 0;      ///< and of what the blocks added
    double magnitude = 0;  ///< ratio of its norms
};

/// TeaCache's polynomial of degree 4, fewer where there are fewer steps, through (embedding, added) by least
/// squares, and MagCache's ratio of each step, 1 where none is known. Unsupported with fewer than two steps,
/// or where a step says what no coefficients can be made of.
Result<protocol::StepCacheCurves> fitStepCaches(const std::string& model, int steps,
                                                const std::vector<RecordedStep>& recorded);

/// Least squares; highest power first. There have to be more points than `degree`.
std::vector<double> fitPolynomial(const std::vector<double>& x, const std::vector<double>& y, int degree);

}  // namespace reelgrid::tune

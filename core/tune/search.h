#pragma once

#include <optional>
#include <vector>

#include "core/tune/site_costs.h"

namespace reelgrid::tune {

/// An assignment and what is predicted of it.
struct Candidate {
    Assignment assignment;
    double seconds = 0;
    double error = 0;
};

/// Time and error of an assignment: sums over its sites, and the floor unless it is the reference throughout.
Candidate predicted(const SiteCosts& costs, Assignment assignment);

/// Neighbouring sites that are decided together, so that a policy's rules can say the result: rectangles of
/// `layers` × `steps` sites, the last ones of a row or column smaller.
struct BlockSize {
    int layers = 1, steps = 1;
};
/// The smallest, and of these the squarest, with which there are at most `most` blocks.
BlockSize blockSizeFor(int layers, int steps, int most);

/// From the most exact to the fastest assignment, each step the one exchange of a block's backend that saves
/// most time for its error; every exchange is on the lower convex hull of its block's backends, so each entry
/// is the fastest that there is for its error. Ordered by error.
std::vector<Candidate> paretoCurve(const SiteCosts& costs, BlockSize blocks);

/// The fastest assignment whose predicted error is at most `mostError`: as far along the curve as it allows,
/// and then every further exchange that still fits. Slower than the best there is by less than what one
/// exchange saves. Nothing when even the most exact one is beyond it.
std::optional<Candidate> fastestWithin(const SiteCosts& costs, BlockSize blocks, double mostError);

}  // namespace reelgrid::tune

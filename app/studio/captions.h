#pragma once

#include <QString>
#include <vector>

#include "app/studio/comparison.h"

namespace reelgrid::studio {

/// One thing said about the comparison to an audience.
struct Fact {
    QString text;
    int tile = -1;  ///< that it is about; -1: all
};

/// What the clips' files say: times and drift against the reference, one fact a clip, and what all of them
/// have in common. What was not measured is not said.
std::vector<Fact> factsFor(const Comparison& comparison);

}  // namespace reelgrid::studio

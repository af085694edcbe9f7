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

/// The prompt that the manifests of the clips on show name; empty where they name several. `asked` where
/// there is no manifest.
QString promptOf(const Comparison& comparison, const QString& asked);

/// What the clips' files say: times and drift against the reference, one fact a clip, and before them what
/// all of them have in common, or what differs beside attention, as their manifests prove it. What was not
/// measured is not said. Empty where there are no clips.
std::vector<Fact> factsFor(const Comparison& comparison);

}  // namespace reelgrid::studio

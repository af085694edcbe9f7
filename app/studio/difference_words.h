#pragma once

#include <QString>
#include <string>
#include <vector>

#include "app/studio/comparison.h"

namespace reelgrid::studio {

/// What comparison::requestDifferences() names, in the window's language: "prompt, seed and steps".
QString differenceText(const std::vector<std::string>& words);

/// In what the work of two clips' denoising differs, as that; empty where it is the same, or nobody knows.
QString otherWork(const ComparedClip& reference, const ComparedClip& clip);
/// In what two clips differ beside how they were computed, the prompt and the seed among it: their pictures
/// say nothing of a backend. Empty likewise.
QString otherContent(const ComparedClip& reference, const ComparedClip& clip);
/// The same behind a ratio of the two: " (differs: seed and steps)".
QString differsText(const ComparedClip& reference, const ComparedClip& clip);

}  // namespace reelgrid::studio

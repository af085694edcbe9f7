#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/suite/gate.h"
#include "core/suite/suite_result.h"

namespace reelgrid::suite {

/// Whether a clip of these rows can have the gate's measure, known before they are rendered. BadUsage where
/// each clip is its own reference and the measure needs another one, or where the measure has to be asked for
/// and is neither by `metrics` (the names of --metrics) nor in one of the clips that lie there already.
Result<void> requireMeasurable(const Gate& gate, const SuitePlan& plan, const std::vector<SuiteRow>& rows,
                               const std::vector<std::string>& metrics);

/// What a clip will have: pixels and frames.
struct ClipExtent {
    int width = 0, height = 0, frames = 0;
};

/// BadUsage where none of these clips is large and long enough for the gate's measure.
Result<void> requireLargeEnough(const Gate& gate, std::span<const ClipExtent> clips);

}  // namespace reelgrid::suite

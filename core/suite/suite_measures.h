#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/result/clip_result.h"

namespace reelgrid::suite {

enum class Better { Higher, Lower };

/// What a number is about.
enum class Tells {
    Clip,   ///< the clip by itself
    Drift,  ///< how far it is from its reference
    Cost    ///< time and memory that the render took
};

/// From what to what a measure goes.
struct MeasureRange {
    double least, most;
};

/// A number of each clip, as files and tables have it.
struct SuiteMeasure {
    const char* key;
    const char* title;  ///< for people
    const char* unit;   ///< may be empty
    int decimals;
    Better better;
    Tells tells;
    MeasureRange range;  ///< of its numbers
};

/// The metrics (against the job's reference where they need one), then time and memory.
std::span<const SuiteMeasure> suiteMeasures();
/// Null for a key that there isn't.
const SuiteMeasure* suiteMeasure(const std::string& key);

using Measured = std::map<std::string, double>;  ///< by key; what was not measured is absent

/// Whether a clip can have that number: finite, negative only where the measure's range is, and no larger
/// than any is.
bool isPossible(const SuiteMeasure& measure, double value);

std::optional<double> numberAt(const Measured& measured, const SuiteMeasure& measure);

/// Of a clip; its drift must be from its reference.
Measured measuredOf(const result::ClipResult& clip);

}  // namespace reelgrid::suite

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/metrics/clip_metrics.h"

namespace reelgrid::result {

/// What the numbers of a clip depend on: two measurements with the same of it give the same.
struct MeasuredOf {
    std::string frames;     ///< SHA-256 of the file that the clip's frames were read from
    std::string reference;  ///< likewise; empty: none
    std::string prompt;     ///< of a CLIP score; empty where none was asked for
    std::string with;       ///< SHA-256 of weights and programs (perception::fingerprintOf); empty: none
};

/// "measured.json" among a clip's files: whole measurements, each under a hash of what it is of, the newest
/// first. At most kMostMeasured are kept.
inline constexpr const char* kMeasuredFile = "measured.json";
inline constexpr std::size_t kMostMeasured = 8;

/// What was measured before of just that. Nothing where there is no such measurement, or where the file is
/// damaged or of another version of the definitions: it is no error, it is measured again. Untrusted file.
std::optional<metrics::ClipMetrics> findMeasured(const std::filesystem::path& clip, const MeasuredOf& of);

/// Keeps it beside the clip, whose companions' folder must be there, and holds the result's lock. Io.
Result<void> keepMeasured(const std::filesystem::path& clip, const MeasuredOf& of,
                          const metrics::ClipMetrics& metrics);

/// Writes metrics.json beside the clip anew, holding the result's lock. Io.
Result<void> saveMetrics(const std::filesystem::path& clip, const metrics::ClipMetrics& metrics);

}  // namespace reelgrid::result

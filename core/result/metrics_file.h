#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "core/metrics/clip_metrics.h"

namespace reelgrid::result {

/// metrics.json: {"clip_sha256", "frames", "frame_correlation": {"mean", "per_frame"}, "flickering",
/// "warping_error", "per_frame": {of those two}, "gates": {…}} and, with a reference, "psnr", "ssim" (as
/// frame_correlation) and "reference": {"frames", "compared_frames", "backend", "sha256"}. A drift that was
/// measured on decoded clips or kept frames is in an object of its own, "drift", and says so. What was not
/// measured is absent; a frame for which a measure has no value is null. Entry i of frame_correlation is for
/// frames i and i+1. "lockstep" is lockstep_json.h's; "measured_with" says of what was asked for with which
/// weights or program it was measured.
nlohmann::ordered_json toJson(const metrics::ClipMetrics& metrics);
/// The same as text for people's eyes too, with "figures_sha256", the hash of all the rest as JSON without
/// blanks and with sorted keys.
std::string metricsJson(const metrics::ClipMetrics& metrics);

/// Means are of their lists, whatever is written beside those. InvalidData naming what is wrong, or saying
/// that the hash, where there is one, is that of other figures.
Result<metrics::ClipMetrics> metricsFromJson(const nlohmann::json& object);

}  // namespace reelgrid::result

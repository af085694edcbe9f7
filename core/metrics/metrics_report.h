#pragma once

#include <string>

#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {

/// One JSON object: {"frames", "frame_correlation": {"mean", "per_frame"}, "flickering", "gates": {…}} and,
/// with a reference, "psnr", "ssim" (as frame_correlation) and "reference": {"frames", "compared_frames"}.
/// What was not measured is absent; a frame for which a measure has no value is null. Entry i of
/// frame_correlation is for frames i and i+1.
std::string metricsJson(const ClipMetrics& metrics);

/// One line a frame: frame,frame_correlation,psnr,ssim; the correlation is with the next frame. Cells of what
/// was not measured are empty.
std::string metricsCsv(const ClipMetrics& metrics);

/// One line for a person when the clip's scores mean nothing (it is black or frozen), else empty.
std::string gateWarning(const ClipGates& gates);

}  // namespace reelgrid::metrics

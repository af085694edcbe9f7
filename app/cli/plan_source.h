#pragma once

#include <string>

#include "core/catalog/render_settings.h"
#include "core/result/clip_result.h"

namespace reelgrid::cli {

/// Why a clip's times say nothing of a render with the settings that are planned; empty: nothing keeps them.
/// It has its settings and a time of a step.
std::string whyNotPlannedFrom(const result::ClipResult& clip, const catalog::RenderSettings& planned);

/// A denoising step, in seconds, on average over those that weren't slowed by a start.
struct UsualStep {
    double seconds = 0;
    double attention = 0;  ///< of it, in self-attention; 0: not timed apart
};
UsualStep usualStepOf(const result::Timing& timing);

}  // namespace reelgrid::cli

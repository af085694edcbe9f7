#pragma once

#include "core/denoising/stage_clock.h"
#include "core/media/frame.h"
#include "core/pipeline/frame_production.h"
#include "core/pipeline/reference_frames.h"
#include "core/pipeline/render_plan.h"
#include "core/pipeline/step_profiler.h"
#include "core/result/pending_result.h"

namespace reelgrid::pipeline {

/// The third act of a render: measures the frames, also against `reference` where that is the same render
/// with sdpa, encodes the clip and gives everything its final name. `profiler` may be null. Throws Failure.
void writeResult(const RenderPlan& plan, FrameProduction& production, const media::RgbVideo& frames,
                 ReferenceFrames& reference, StepProfiler* profiler, denoising::StageClock& clock,
                 result::PendingResult& pending);

/// Of a rank that writes no result: its trace, where the render is profiled.
void writeRankTrace(const RenderPlan& plan, StepProfiler* profiler, denoising::StageClock& clock);

}  // namespace reelgrid::pipeline

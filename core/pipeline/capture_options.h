#pragma once

#include <filesystem>

#include "core/capture/capture_observer.h"
#include "core/catalog/render_settings.h"
#include "core/execution/execution.h"
#include "core/families/model_info.h"

namespace reelgrid::pipeline {

/// Where a render saves attention's inputs, as its manifest says it: relative to the manifest unless it was
/// asked for.
std::filesystem::path captureFolder(const catalog::RenderSettings& settings);

/// What --save-inputs and the options about it mean for a render of `clip`. Throws Failure(BadUsage).
capture::CaptureOptions captureOptions(const catalog::RenderSettings& settings,
                                       const families::ModelInfo& model, const std::filesystem::path& clip,
                                       const execution::Execution& execution);

}  // namespace reelgrid::pipeline

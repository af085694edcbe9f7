#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"

namespace reelgrid::catalog {

/// Where in a model attention's inputs are saved from: what --capture-module, --capture-layers and
/// --capture-steps name, counted out.
struct CaptureChoice {
    std::vector<protocol::ModuleKind> kinds;
    std::vector<int> layers;
    std::vector<int> steps;
};

/// BadUsage naming the option, its value and what was needed.
Result<CaptureChoice> captureChoice(const RenderSettings& settings, const families::ModelInfo& model);

}  // namespace reelgrid::catalog

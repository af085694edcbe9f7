#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {

/// A request with every default filled in and every value checked against the model and the machine.
struct RenderSettings : protocol::RenderFields<protocol::Given> {
    bool operator==(const RenderSettings&) const = default;
};

/// The name of the render's attention: protocol::attentionName().
std::string attentionName(const RenderSettings& settings);

/// What is rendered, in words: the prompt; of a model that takes none the name of the picture's file.
std::string subjectOf(const RenderSettings& settings);

/// About what the frames kept without loss take on disk; 0: none are kept.
std::uint64_t keptFrameBytes(const RenderSettings& settings);

/// Whose the coefficients of the step cache are by their file, where that isn't this model by its name (it
/// may have been moved); else empty.
std::string stepCacheRemark(const RenderSettings& settings, const families::ModelInfo& model);

/// The request as `machine` would render it, be that this one or another. BadUsage naming the option, its
/// value and what was needed; Unsupported where the machine can't use the device.
Result<RenderSettings> resolveSettings(const protocol::RenderRequest& request,
                                       const families::ModelInfo& model, const machine::Machine& machine);

}  // namespace reelgrid::catalog

#pragma once

#include <string>

#include "core/base/result.h"
#include "core/families/model_info.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {

/// A request with every default filled in and every value checked against the model.
struct RenderSettings : protocol::RenderFields<protocol::Given> {
    bool operator==(const RenderSettings&) const = default;
};

/// The name of the render's attention: protocol::attentionName().
std::string attentionName(const RenderSettings& settings);

/// BadUsage naming the option, its value and what was needed.
Result<RenderSettings> resolveSettings(const protocol::RenderRequest& request,
                                       const families::ModelInfo& model);

}  // namespace reelgrid::catalog

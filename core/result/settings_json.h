#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/catalog/render_settings.h"

namespace reelgrid::result {

/// The manifest's "settings": a request as it was resolved, under the request's own keys.
nlohmann::json toJson(const catalog::RenderSettings& settings);

/// InvalidData naming what is wrong.
Result<catalog::RenderSettings> settingsFromJson(const nlohmann::json& object);

}  // namespace reelgrid::result

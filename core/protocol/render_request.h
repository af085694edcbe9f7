#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "core/protocol/render_fields.h"

namespace reelgrid::protocol {

/// Everything that defines one render. Absent optionals take the model's own defaults; the manifest records
/// the resolved values. JSON keys are the command line's names with underscores (num_inference_steps, …).
struct RenderRequest : RenderFields<std::optional> {
    std::string model = "demo";  ///< "demo", a diffusers folder, or a hub id
    std::string output;   ///< absolute path of the clip; everything else goes to resultFolderOf(output)
    bool resume = false;  ///< go on where a render of the same was interrupted, if one was

    bool operator==(const RenderRequest&) const = default;
};

nlohmann::json toJson(const RenderRequest& request);

/// BadUsage naming the option and its value where a text isn't UTF-8: what reads the request's JSON would get
/// another one.
Result<void> requireUtf8(const RenderRequest& request);

/// Reads a request; unknown keys are ignored, wrong types and impossible values are BadUsage naming key and
/// value.
Result<RenderRequest> renderRequestFromJson(const nlohmann::json& json);

/// Reads resolved settings as a manifest holds them; what is absent stays as it is. InvalidData naming key
/// and value.
Result<void> readRenderSettings(const nlohmann::json& json, RenderFields<Given>& settings);

/// Reads a model's own defaults (reelgrid.json), leaving what is absent as it is. InvalidData naming key and
/// value.
Result<void> readRenderDefaults(const nlohmann::json& json, const std::string& what,
                                RenderFields<Given>& defaults);

}  // namespace reelgrid::protocol

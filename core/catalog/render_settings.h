#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/catalog/model_info.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {

/// A request with every default filled in and every value checked against the model.
struct RenderSettings {
    std::string task;
    std::string prompt;
    std::string negativePrompt;
    int width = 0;
    int height = 0;
    int numFrames = 0;
    double fps = 0;
    int numInferenceSteps = 0;
    double guidanceScale = 0;
    std::uint64_t seed = 0;
    int numRepetitions = 1;
    std::string dtype;
    std::string device;
    std::string attentionType;
    protocol::AttentionPolicy attentionPolicy;  ///< as the request has it
    std::optional<std::string> scheduler;
    std::optional<double> flowShift;

    bool operator==(const RenderSettings&) const = default;
};

/// What the render's attention is called: protocol::attentionName().
std::string attentionName(const RenderSettings& settings);

/// BadUsage naming the option, its value and what was needed.
Result<RenderSettings> resolveSettings(const protocol::RenderRequest& request, const ModelInfo& model);

}  // namespace reelgrid::catalog

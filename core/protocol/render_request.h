#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/attention_policy.h"

namespace reelgrid::protocol {

/// Everything that defines one render. Absent optionals take the model's own defaults; the manifest records
/// the resolved values. JSON keys are the command line's names with underscores (num_inference_steps, …).
struct RenderRequest {
    std::string model = "demo";  ///< "demo", a diffusers folder, or a hub id
    std::string task = "t2v";
    std::string prompt;
    std::optional<std::string> negativePrompt;
    std::optional<int> height;
    std::optional<int> width;
    std::optional<int> numFrames;
    std::optional<int> numInferenceSteps;
    std::optional<double> guidanceScale;
    std::optional<double> fps;
    std::optional<std::string> scheduler;  ///< "unipc" or "euler"; absent: the checkpoint's
    std::optional<double> flowShift;
    std::uint64_t seed = 42;
    std::string attentionType = "sdpa";
    AttentionPolicy attentionPolicy;  ///< empty: the attention type alone decides
    std::optional<std::string>
        dtype;  ///< "fp32", "bf16", "fp16"; absent: fastest at equal quality on the device
    std::string device = "cpu";
    int numRepetitions = 1;
    std::string output;  ///< absolute path of the clip; everything else goes to resultFolderOf(output)
};

nlohmann::json toJson(const RenderRequest& request);

/// Reads a request; unknown keys are ignored, wrong types and impossible values are BadUsage naming key and
/// value.
Result<RenderRequest> renderRequestFromJson(const nlohmann::json& json);

}  // namespace reelgrid::protocol

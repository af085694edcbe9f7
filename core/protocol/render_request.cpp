#include "core/protocol/render_request.h"

#include <nlohmann/json.hpp>

#include "core/protocol/attention_policy_json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kMaxPathBytes = 4096;

template <class T>
void put(json& object, const char* key, const std::optional<T>& value) {
    if (value) object[key] = *value;
}

}  // namespace

json toJson(const RenderRequest& request) {
    json object = {{"model", request.model},
                   {"task", request.task},
                   {"prompt", request.prompt},
                   {"seed", request.seed},
                   {"attention_type", request.attentionType},
                   {"device", request.device},
                   {"num_repetitions", request.numRepetitions},
                   {"output", request.output}};
    put(object, "negative_prompt", request.negativePrompt);
    put(object, "height", request.height);
    put(object, "width", request.width);
    put(object, "num_frames", request.numFrames);
    put(object, "num_inference_steps", request.numInferenceSteps);
    put(object, "guidance_scale", request.guidanceScale);
    put(object, "fps", request.fps);
    put(object, "scheduler", request.scheduler);
    put(object, "flow_shift", request.flowShift);
    put(object, "dtype", request.dtype);
    if (!request.attentionPolicy.empty()) object["attention_policy"] = toJson(request.attentionPolicy);
    return object;
}

Result<RenderRequest> renderRequestFromJson(const json& object) {
    RenderRequest request;
    FieldReader fields(object, "request", ErrorCode::BadUsage);
    fields.text("model", request.model, kMaxPathBytes);
    fields.text("task", request.task, kMaxNameBytes);
    fields.text("prompt", request.prompt);
    fields.text("negative_prompt", request.negativePrompt);
    fields.integer("height", request.height, 1);
    fields.integer("width", request.width, 1);
    fields.integer("num_frames", request.numFrames, 1);
    fields.integer("num_inference_steps", request.numInferenceSteps, 1);
    fields.number("guidance_scale", request.guidanceScale);
    fields.number("fps", request.fps);
    fields.text("scheduler", request.scheduler, kMaxNameBytes);
    fields.number("flow_shift", request.flowShift);
    fields.integer("seed", request.seed);
    fields.text("attention_type", request.attentionType, kMaxNameBytes);
    fields.text("dtype", request.dtype, kMaxNameBytes);
    fields.text("device", request.device, kMaxNameBytes);
    fields.integer("num_repetitions", request.numRepetitions, 1);
    fields.text("output", request.output, kMaxPathBytes);
    if (request.fps && *request.fps <= 0)
        fields.fail("fps " + std::to_string(*request.fps) + ": more than 0 was needed");
    const json* policy = fields.object("attention_policy");
    if (auto read = fields.finish(); !read) return read.error();
    if (policy != nullptr) {
        auto rules = attentionPolicyFromJson(*policy);
        if (!rules) return rules.error().in("request: attention_policy");
        request.attentionPolicy = *std::move(rules);
    }
    return request;
}

}  // namespace reelgrid::protocol

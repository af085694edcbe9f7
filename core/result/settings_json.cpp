#include "core/result/settings_json.h"

#include <nlohmann/json.hpp>

#include "core/protocol/attention_policy_json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::result {

using nlohmann::json;

json toJson(const catalog::RenderSettings& settings) {
    json object{{"task", settings.task},
                {"prompt", settings.prompt},
                {"negative_prompt", settings.negativePrompt},
                {"width", settings.width},
                {"height", settings.height},
                {"num_frames", settings.numFrames},
                {"fps", settings.fps},
                {"num_inference_steps", settings.numInferenceSteps},
                {"guidance_scale", settings.guidanceScale},
                {"seed", settings.seed},
                {"num_repetitions", settings.numRepetitions},
                {"dtype", settings.dtype},
                {"device", settings.device},
                {"attention_type", settings.attentionType}};
    if (!settings.attentionPolicy.empty())
        object["attention_policy"] = protocol::toJson(settings.attentionPolicy);
    if (settings.scheduler) object["scheduler"] = *settings.scheduler;
    if (settings.flowShift) object["flow_shift"] = *settings.flowShift;
    return object;
}

Result<catalog::RenderSettings> settingsFromJson(const json& object) {
    catalog::RenderSettings settings;
    protocol::FieldReader fields(object, "settings", ErrorCode::InvalidData);
    fields.text("task", settings.task);
    fields.text("prompt", settings.prompt);
    fields.text("negative_prompt", settings.negativePrompt);
    fields.integer("width", settings.width, 0);
    fields.integer("height", settings.height, 0);
    fields.integer("num_frames", settings.numFrames, 0);
    fields.number("fps", settings.fps);
    fields.integer("num_inference_steps", settings.numInferenceSteps, 0);
    fields.number("guidance_scale", settings.guidanceScale);
    fields.integer("seed", settings.seed);
    fields.integer("num_repetitions", settings.numRepetitions, 1);
    fields.text("dtype", settings.dtype);
    fields.text("device", settings.device);
    fields.text("attention_type", settings.attentionType);
    fields.text("scheduler", settings.scheduler);
    fields.number("flow_shift", settings.flowShift);
    const json* policy = fields.object("attention_policy");
    if (auto read = fields.finish(); !read) return read.error();
    if (policy != nullptr) {
        auto rules = protocol::attentionPolicyFromJson(*policy);
        if (!rules) return Error{ErrorCode::InvalidData, rules.error().in("settings").message};
        settings.attentionPolicy = *std::move(rules);
    }
    return settings;
}

}  // namespace reelgrid::result

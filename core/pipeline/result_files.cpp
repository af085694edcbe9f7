#include "core/pipeline/result_files.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <nlohmann/json.hpp>

#include "core/base/version.h"
#include "core/protocol/attention_policy_json.h"

namespace reelgrid::pipeline {
namespace {

using nlohmann::json;

json settingsJson(const catalog::RenderSettings& settings) {
    json resolved{{"task", settings.task},
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
                  {"attention_type", settings.attentionType}};
    if (!settings.attentionPolicy.empty())
        resolved["attention_policy"] = protocol::toJson(settings.attentionPolicy);
    if (settings.scheduler) resolved["scheduler"] = *settings.scheduler;
    if (settings.flowShift) resolved["flow_shift"] = *settings.flowShift;
    return resolved;
}

}  // namespace

json manifestJson(const RunRecord& record) {
    json attention = json::array();
    for (const attention::CallRecord& call : record.attention)
        attention.push_back({{"module", protocol::nameOf(call.kind)},
                             {"requested", call.requested},
                             {"used", call.used},
                             {"why", call.why},
                             {"calls", call.calls},
                             {"seconds", call.seconds.value_or(0)}});
    return {{"request", protocol::toJson(record.request)},
            {"settings", settingsJson(record.settings)},
            {"seed", record.settings.seed},
            {"versions", {{"reelgrid", kVersion}, {"libtorch", TORCH_VERSION}}},
            {"device", {{"type", record.settings.device}, {"threads", at::get_num_threads()}}},
            {"model", {{"id", record.modelId}, {"hashes", record.hashes}}},
            {"attention", attention},
            {"frames_sha256", record.framesSha256}};
}

json timingJson(const std::vector<Timing>& repetitions) {
    json list = json::array();
    for (const Timing& timing : repetitions) {
        const auto seconds = [&timing](const char* stage) {
            const auto found = timing.stages.find(stage);
            return found == timing.stages.end() ? 0.0 : found->second;
        };
        list.push_back({{"pipe_time", seconds("text") + seconds("denoise") + seconds("decode")},
                        {"vae_decode_time", seconds("decode")},
                        {"stages", timing.stages},
                        {"steps", timing.steps}});
    }
    return list;
}

}  // namespace reelgrid::pipeline

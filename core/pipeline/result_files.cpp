#include "core/pipeline/result_files.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <nlohmann/json.hpp>

#include "core/base/version.h"
#include "core/protocol/attention_policy_json.h"

namespace reelgrid::pipeline {
namespace {

using nlohmann::json;

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
            {"settings", protocol::fieldsJson(record.settings)},
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

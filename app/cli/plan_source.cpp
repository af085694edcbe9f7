#include "app/cli/plan_source.h"

#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/joined.h"
#include "core/base/json.h"
#include "core/protocol/attention_name.h"
#include "core/result/warm_up.h"

namespace reelgrid::cli {
namespace {

using catalog::RenderSettings;
using nlohmann::json;

/// Settings that decide which arithmetic a step is.
constexpr std::array kArithmetic{"attention_type", "attention_policy", "backend_option", "sla_topk",
                                 "dtype",          "fp32_precision",   "linear",         "use_bf16_te_gemms"};
constexpr const char* kSelfAttention = "self_attention";

std::string deviceKindOf(const std::string& device) {
    return device == "cpu" ? device : "gpu";
}

json arithmeticOf(const RenderSettings& settings, const std::string& device) {
    const json all = protocol::fieldsJson(settings);
    json fields = {{"device", deviceKindOf(device)}};
    for (const char* key : kArithmetic)
        if (all.contains(key)) fields[key] = all[key];
    if (!protocol::asksForSparse(settings)) fields.erase("sla_topk");
    if (settings.dtype != "fp32") fields.erase("fp32_precision");
    return fields;
}

std::string fieldText(const json& value) {
    return value.is_null() ? "none" : showJson(value);
}

/// Each field that differs, and what ran in the place of what was asked for.
std::vector<std::string> otherArithmetic(const result::Manifest& manifest, const RenderSettings& planned) {
    const json there = arithmeticOf(*manifest.settings, manifest.device);
    const json here = arithmeticOf(planned, planned.device);
    json keys = there;
    keys.update(here);
    std::vector<std::string> others;
    for (const auto& [key, ignored] : keys.items())
        if (const json own = there.value(key, json()), wanted = here.value(key, json()); own != wanted)
            others.push_back(key + " " + fieldText(own) + " (planned: " + fieldText(wanted) + ")");
    for (const protocol::CallRecord& call : manifest.attention)
        if (call.isSubstituted())
            others.push_back("attention by " + call.used + " in the place of " + call.requested);
    if (manifest.gemms && manifest.gemms->used != manifest.gemms->requested)
        others.push_back("linear layers in " + manifest.gemms->used + " in the place of " +
                         manifest.gemms->requested);
    return others;
}

int ranksOf(const RenderSettings& settings) {
    return settings.cfgParallel.value_or(1) * settings.ringDegree.value_or(1) *
           settings.ulyssesDegree.value_or(1);
}

/// What was done beside the steps, or in another way, so that their times have it in them.
std::string whatElseItDid(const result::Manifest& manifest) {
    const RenderSettings& settings = *manifest.settings;
    if (!manifest.engine.empty()) return "it was rendered by " + manifest.engine + "; ReelGrid was needed";
    if (ranksOf(settings) > 1)
        return "it was rendered by " + std::to_string(ranksOf(settings)) + " ranks; one was needed";
    if (settings.stepCache.isOn() || settings.useTorchCompile)
        return "it was rendered with a step cache or graphs; neither was needed";
    if (manifest.profile || settings.profileOutput)
        return "it was profiled, and its times have the profiler's in them; one without --profile-output was "
               "needed";
    if (settings.saveInputs)
        return "it saved attention's inputs while it was timed; one without --save-inputs was needed";
    if (manifest.memory && manifest.memory->offload == protocol::kOffloadBlocks)
        return "its blocks came from the host's memory (--offload blocks); one without was needed";
    return {};
}

}  // namespace

std::string whyNotPlannedFrom(const result::ClipResult& clip, const RenderSettings& planned) {
    if (std::string other = whatElseItDid(clip.manifest); !other.empty()) return other;
    if (const auto others = otherArithmetic(clip.manifest, planned); !others.empty())
        return "it was rendered with " + joined(others) + "; the same as planned was needed";
    if (clip.timings.size() == 1 && !result::coldSteps(*clip.timing()))
        return "of " + std::to_string(clip.timing()->steps.size()) +
               " denoising steps what starting took can't be told apart; " +
               std::to_string(result::kFewestStepsToTell) + " steps or --num-repetitions 2 were needed";
    return {};
}

UsualStep usualStepOf(const result::Timing& timing) {
    const std::size_t cold = result::coldSteps(timing).value_or(0);
    const std::size_t count = timing.steps.size() - cold;
    if (count == 0) return {};
    UsualStep usual{std::accumulate(timing.steps.begin() + std::ptrdiff_t(cold), timing.steps.end(), 0.0) /
                    double(count)};
    // On a GPU a few steps alone are measured by part: what counts is the share in those.
    double attention = 0, measured = 0;
    for (std::size_t step = cold; step < timing.stepParts.size(); ++step)
        for (const auto& [part, seconds] : timing.stepParts[step]) {
            measured += seconds;
            if (part == kSelfAttention) attention += seconds;
        }
    if (attention > 0 && attention < measured) usual.attention = usual.seconds * attention / measured;
    return usual;
}

}  // namespace reelgrid::cli

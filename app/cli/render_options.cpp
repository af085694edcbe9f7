#include "app/cli/render_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "app/cli/console.h"
#include "core/catalog/model_catalog.h"
#include "core/protocol/idle_rules.h"
#include "core/protocol/scheduler_names.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

/// What the built-in model is good at; every other model needs a prompt.
constexpr const char* kDemoPrompt = "a red car driving to the right on a beach";

constexpr std::array kPlannedBackends{"cudnn"};
constexpr const char* kReferencesChoice = "default";

/// An optional that keeps "not given" apart from any value.
template <class T>
void addOptional(CLI::App& command, const std::string& name, std::optional<T>& target,
                 const std::string& help) {
    command.add_option_function<T>(
        name, [&target](const T& value) { target = value; }, help);
}

/// CLI11 would take "-1" for the largest number.
Result<std::uint64_t> seedFrom(const std::string& text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && end == text.data() + text.size()) return seed;
    return Error{ErrorCode::BadUsage, "--seed " + text + ": a whole number from 0 to 2^64 - 1 was needed"};
}

/// torch's names are aliases.
std::string dtypeName(std::string name) {
    if (name.starts_with("torch.")) name.erase(0, 6);
    if (name == "float32" || name == "float") return "fp32";
    if (name == "bfloat16") return "bf16";
    if (name == "float16" || name == "half") return "fp16";
    return name;
}

Result<void> checkUtf8(const std::string& option, const std::string& text) {
    try {
        (void)nlohmann::json(text).dump();
        return {};
    } catch (const nlohmann::json::exception&) {
        return Error{ErrorCode::BadUsage, option + ": text in UTF-8 was needed"};
    }
}

}  // namespace

void RenderOptions::addTo(CLI::App& command) {
    command
        .add_option("--model", m_request.model, "demo, a diffusers folder, or a hub id in the local cache")
        ->capture_default_str();
    addOptional(command, "--prompt", m_prompt, "What to render (the demo model has a default)");
    addOptional(command, "--negative-prompt", m_request.negativePrompt, "What to steer away from");
    command.add_option("--task", m_request.task, "t2v")->capture_default_str();
    addOptional(command, "--height", m_request.height, "Pixels (default: the model's)");
    addOptional(command, "--width", m_request.width, "Pixels (default: the model's)");
    addOptional(command, "--num-frames", m_request.numFrames, "Frames (default: the model's)");
    addOptional(command, "--num-inference-steps", m_request.numInferenceSteps,
                "Denoising steps (default: the model's)");
    addOptional(command, "--guidance-scale", m_request.guidanceScale,
                "Classifier-free guidance (default: the model's)");
    addOptional(command, "--scheduler", m_request.scheduler,
                protocol::schedulerOptions() + " (default: the checkpoint's)");
    addOptional(command, "--flow-shift", m_request.flowShift, "Timestep shift (default: the checkpoint's)");
    command.add_option("--seed", m_seed, "Seed of the initial noise")->capture_default_str();
    command.add_option("--num-repetitions", m_request.numRepetitions, "Render so many times, for timing")
        ->capture_default_str();
    command.add_option("--device", m_request.device, "cpu")->capture_default_str();
    command.add_option("--dtype", m_dtype, "fp32, bf16 or fp16 (default: the fastest at equal quality)");
    m_policy.addTo(command);
    m_unbuilt.addRenderOptions(command);
}

Result<CheckedRequest> RenderOptions::check(const std::string& attentionType) const {
    if (auto built = m_unbuilt.check(); !built) return built.error();
    if (auto known = checkAttentionType("--attention-type", attentionType); !known) return known.error();
    CheckedRequest checked;
    protocol::RenderRequest& request = checked.request = m_request;
    request.attentionType = attentionType;
    auto seed = seedFrom(m_seed);
    if (!seed) return seed.error();
    request.seed = *seed;
    if (!m_dtype.empty()) request.dtype = dtypeName(m_dtype);
    if (!m_prompt && request.model != "demo")
        return Error{ErrorCode::BadUsage, "--prompt is missing: what to render was needed"};
    request.prompt = m_prompt.value_or(kDemoPrompt);
    if (auto text = checkUtf8("--prompt", request.prompt); !text) return text.error();
    if (auto text = checkUtf8("--negative-prompt", request.negativePrompt.value_or("")); !text)
        return text.error();

    auto model = catalog::findModel(request.model);
    if (!model) return model.error();
    checked.model = *std::move(model);
    // Absolute, so that a session or manifest that repeats the request means the same folder everywhere.
    std::error_code failed;
    if (request.model != "demo" && fs::is_directory(request.model, failed))
        request.model = checked.model.folder.string();
    auto settings = catalog::resolveSettings(request, checked.model);
    if (!settings) return settings.error();
    checked.settings = *std::move(settings);
    auto policy = m_policy.check(checked.model, checked.settings.numInferenceSteps);
    if (!policy) return policy.error();
    request.attentionPolicy = checked.settings.attentionPolicy = *std::move(policy);
    return checked;
}

std::vector<std::string> idleRules(const CheckedRequest& checked) {
    const catalog::RenderSettings& settings = checked.settings;
    return protocol::idleReasons(settings.attentionPolicy,
                                 {checked.model.layers, settings.numInferenceSteps, settings.guidanceScale});
}

void sayIdleRules(const CheckedRequest& checked) {
    const std::vector<std::string> reasons = idleRules(checked);
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (!reasons[i].empty())
            say("note: rule " + std::to_string(i + 1) + ", " +
                describe(checked.settings.attentionPolicy.rules[i]) + ": " + reasons[i]);
}

Result<void> checkAttentionType(const std::string& option, const std::string& name) {
    if (name == kReferencesChoice || kernels::findBackend(name) != nullptr) return {};
    const bool planned =
        std::find(kPlannedBackends.begin(), kPlannedBackends.end(), name) != kPlannedBackends.end();
    return Error{ErrorCode::BadUsage, option + " " + name + ": " + (planned ? "not in this version; " : "") +
                                          "one of " + kernels::backendNames() + ", " + kReferencesChoice +
                                          " was needed"};
}

std::string resultName(const CheckedRequest& checked) {
    // "wan2.1" → "wan"
    const std::string& family = checked.model.family;
    const auto digit = std::find_if(family.begin(), family.end(),
                                    [](unsigned char letter) { return std::isdigit(letter) != 0; });
    const catalog::RenderSettings& settings = checked.settings;
    return std::string(family.begin(), digit) + "_result_" + settings.task +
           "_ulysses1_ringNone_compileFalse_attn_" + attentionName(settings) + "_" +
           std::to_string(settings.height) + "x" + std::to_string(settings.width) + ".mp4";
}

}  // namespace reelgrid::cli

#include "core/catalog/render_settings.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/catalog/default_dtype.h"
#include "core/catalog/policy_check.h"

namespace reelgrid::catalog {
namespace {

constexpr int kMaxSteps = 1000;
constexpr int kMaxRepetitions = 1000;
constexpr std::size_t kMaxPromptBytes = 64 << 10;

template <class T>
Error wrong(const char* option, const T& value, const std::string& needed) {
    std::ostringstream text;
    text << option << " " << value << ": " << needed << " was needed";
    return {ErrorCode::BadUsage, text.str()};
}

std::string between(int low, int high) {
    return "a value from " + std::to_string(low) + " to " + std::to_string(high);
}

Result<void> checkSide(const char* option, int value, const SizeRules& sizes) {
    if (value < sizes.sizeMultiple || value > sizes.maxSize || value % sizes.sizeMultiple != 0)
        return wrong(option, value,
                     "a multiple of " + std::to_string(sizes.sizeMultiple) + " from " +
                         std::to_string(sizes.sizeMultiple) + " to " + std::to_string(sizes.maxSize));
    return {};
}

}  // namespace

std::string attentionName(const RenderSettings& settings) {
    return protocol::attentionName(settings.attentionType, settings.attentionPolicy);
}

Result<RenderSettings> resolveSettings(const protocol::RenderRequest& request, const ModelInfo& model) {
    const RenderDefaults& defaults = model.defaults;
    RenderSettings settings;
    settings.task = request.task.empty() ? defaults.task : request.task;
    settings.prompt = request.prompt;
    settings.negativePrompt = request.negativePrompt.value_or(defaults.negativePrompt);
    settings.width = request.width.value_or(defaults.width);
    settings.height = request.height.value_or(defaults.height);
    settings.numFrames = request.numFrames.value_or(defaults.numFrames);
    settings.fps = request.fps.value_or(defaults.fps);
    settings.numInferenceSteps = request.numInferenceSteps.value_or(defaults.numInferenceSteps);
    settings.guidanceScale = request.guidanceScale.value_or(defaults.guidanceScale);
    settings.seed = request.seed;
    settings.numRepetitions = request.numRepetitions;
    settings.device = request.device;
    settings.attentionType = request.attentionType;
    settings.attentionPolicy = request.attentionPolicy;
    settings.scheduler = request.scheduler;
    settings.flowShift = request.flowShift;
    settings.dtype = request.dtype.value_or(defaultDtype());

    if (std::find(model.tasks.begin(), model.tasks.end(), settings.task) == model.tasks.end())
        return wrong("--task", settings.task, "for this model t2v");
    if (settings.prompt.size() > kMaxPromptBytes)
        return wrong("--prompt of bytes", settings.prompt.size(),
                     "at most " + std::to_string(kMaxPromptBytes));
    if (auto side = checkSide("--width", settings.width, model.sizes); !side) return side.error();
    if (auto side = checkSide("--height", settings.height, model.sizes); !side) return side.error();
    const int stride = model.sizes.frameStride;
    if (settings.numFrames < 1 || settings.numFrames > model.sizes.maxFrames ||
        (settings.numFrames - 1) % stride != 0)
        return wrong("--num-frames", settings.numFrames,
                     std::to_string(stride) + "·k + 1 from 1 to " + std::to_string(model.sizes.maxFrames));
    if (!std::isfinite(settings.fps) || settings.fps < 1 || settings.fps > 240)
        return wrong("--fps", settings.fps, between(1, 240));
    if (settings.numInferenceSteps < 1 || settings.numInferenceSteps > kMaxSteps)
        return wrong("--num-inference-steps", settings.numInferenceSteps, between(1, kMaxSteps));
    if (!std::isfinite(settings.guidanceScale) || settings.guidanceScale < 0 || settings.guidanceScale > 100)
        return wrong("--guidance-scale", settings.guidanceScale, between(0, 100));
    if (settings.numRepetitions < 1 || settings.numRepetitions > kMaxRepetitions)
        return wrong("--num-repetitions", settings.numRepetitions, between(1, kMaxRepetitions));
    if (settings.dtype != "fp32" && settings.dtype != "bf16")
        return wrong("--dtype", settings.dtype, "on the CPU fp32 or bf16");
    if (settings.device != "cpu") return wrong("--device", settings.device, "in this version cpu");
    if (settings.scheduler && *settings.scheduler != "unipc" && *settings.scheduler != "euler")
        return wrong("--scheduler", *settings.scheduler, "unipc or euler");
    if (settings.flowShift && !(*settings.flowShift > 0 && *settings.flowShift <= 100))
        return wrong("--flow-shift", *settings.flowShift, "a value above 0, at most 100,");
    if (auto fits = checkPolicy(settings.attentionPolicy, model, settings.numInferenceSteps); !fits)
        return fits.error().in("--attention-policy");
    return settings;
}

}  // namespace reelgrid::catalog

#include "core/models/animatediff/motion_choice.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::models::animatediff {
namespace {

/// Of windows in clips that have more frames than there are positions, as diffusers and the authors have
/// them.
constexpr std::int64_t kUsualContext = 16;

[[noreturn]] void refuseOption(const std::string& option, const std::string& value,
                               const std::string& needed) {
    throw Failure(ErrorCode::BadUsage, option + " " + value + ": " + needed + " was needed");
}

FrameWindows::Weights weightsOf(const std::string& name) {
    if (name == protocol::kPyramidWeights) return FrameWindows::Weights::Pyramid;
    if (name == protocol::kFlatWeights) return FrameWindows::Weights::Flat;
    refuseOption("--context-weights", name, "pyramid or flat");
}

std::optional<FrameWindows> windowsOf(const catalog::RenderSettings& settings, const MotionConfig& motion) {
    const std::int64_t frames = settings.numFrames, most = motion.maxFrames;
    if (settings.contextFrames && *settings.contextFrames > most)
        refuseOption("--context-frames", std::to_string(*settings.contextFrames),
                     "at most " + std::to_string(most) + ", the motion adapter's positions,");
    const bool isShort = frames <= most && !settings.contextFrames;
    if (isShort && !settings.loop) return std::nullopt;
    FrameWindows windows;
    windows.length = std::min(frames, settings.contextFrames ? std::int64_t{*settings.contextFrames}
                                                             : std::min(kUsualContext, most));
    windows.stride = settings.contextStride;
    windows.weights = weightsOf(settings.contextWeights);
    windows.end = settings.loop ? FrameWindows::End::Joined : FrameWindows::End::Open;
    if (windows.stride > windows.length)
        refuseOption("--context-stride", std::to_string(windows.stride),
                     "at most " + std::to_string(windows.length) + ", the frames of a window,");
    return windows;
}

}  // namespace

MotionOptions motionChoice(const catalog::RenderSettings& settings, const MotionConfig& motion) {
    if (settings.contextNoise != protocol::kShuffledNoise && settings.contextNoise != protocol::kRandomNoise)
        refuseOption("--context-noise", settings.contextNoise, "shuffle or random");
    return {
        .skippedBlocks = settings.motionAdapterSkip,
        .framesTogether = settings.framesTogether,
        .manner = {.strength = settings.temporalAlpha.value_or(1), .windows = windowsOf(settings, motion)}};
}

at::Tensor clipNoise(denoising::LatentNoise& noise, at::IntArrayRef shape_BCTHW,
                     const catalog::RenderSettings& settings, const MotionOptions& motion) {
    at::Tensor latents_BCTHW = noise.draw(shape_BCTHW);
    const auto& windows = motion.manner.windows;
    if (!windows || settings.contextNoise == protocol::kRandomNoise) return latents_BCTHW;
    const std::int64_t frames = shape_BCTHW[2];
    for (std::int64_t to = windows->length; to < frames; to += windows->stride) {
        const std::int64_t from = to - windows->length, count = std::min(windows->stride, frames - from);
        const std::vector<std::int64_t> order = noise.permutation(count);
        for (std::int64_t i = 0; i < count && to + i < frames; ++i)
            latents_BCTHW.select(2, to + i).copy_(
                latents_BCTHW.select(2, from + order[static_cast<std::size_t>(i)]));
    }
    return latents_BCTHW;
}

}  // namespace reelgrid::models::animatediff

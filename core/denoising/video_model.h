#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/catalog/render_settings.h"
#include "core/denoising/denoiser.h"
#include "core/denoising/sampling_loop.h"
#include "core/denoising/stage_clock.h"
#include "core/media/frame.h"
#include "core/result/manifest.h"

namespace reelgrid::denoising {

/// A loaded model of any family. Lives on one thread.
class VideoModel {
  public:
    virtual ~VideoModel() = default;

    /// Runs the stages before "denoise", those of "text" and "image" that the render has, and makes what the
    /// loop walks.
    [[nodiscard]] virtual std::unique_ptr<Denoiser> prepare(const catalog::RenderSettings& settings,
                                                            StageClock& clock) = 0;

    /// Runs the stage "decode": pictures from finished latents.
    virtual media::RgbVideo decode(const at::Tensor& latents, const catalog::RenderSettings& settings,
                                   StageClock& clock) = 0;

    /// About how many bytes a render takes beside the loaded weights, at its fullest moment.
    [[nodiscard]] virtual std::uint64_t workingBytes(const catalog::RenderSettings& settings) const = 0;

    /// What became of products in FP8 that were asked for; nullopt where none were.
    [[nodiscard]] virtual std::optional<result::GemmRecord> gemms() const { return std::nullopt; }

    [[nodiscard]] virtual at::Device device() const = 0;
};

/// All stages up to "denoise": the latents that decode() takes, fp32.
at::Tensor denoise(VideoModel& model, const catalog::RenderSettings& settings,
                   attention::Dispatcher& attention, StageClock& clock, LoopFollowers followers = {});

}  // namespace reelgrid::denoising

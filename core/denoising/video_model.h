#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/denoising/denoiser.h"
#include "core/denoising/load_options.h"
#include "core/denoising/sampling_loop.h"
#include "core/denoising/stage_clock.h"
#include "core/media/frame.h"
#include "core/result/manifest.h"
#include "core/vae/video_vae.h"

namespace reelgrid::denoising {

/// A loaded model of any family. Lives on one thread.
class VideoModel {
  public:
    explicit VideoModel(LoadOptions options) : m_options(std::move(options)) {}
    virtual ~VideoModel() = default;

    /// Runs the stages before "denoise", those of "text" and "image" that the render has, and makes what the
    /// loop walks.
    [[nodiscard]] virtual std::unique_ptr<Denoiser> prepare(const catalog::RenderSettings& settings,
                                                            StageClock& clock) = 0;

    /// Whose normalised latents the denoiser ends with.
    [[nodiscard]] virtual const vae::VideoVae& vae() const = 0;

    /// What a pass works in beside the loaded weights.
    [[nodiscard]] virtual std::uint64_t passBytes(const catalog::RenderSettings& settings) const = 0;
    /// Frames that go through the VAE's encoder at once; 0: the render encodes none.
    [[nodiscard]] virtual int encodedFrames(const catalog::RenderSettings& settings) const = 0;

    /// What a reader of the result has to be told: a line each.
    [[nodiscard]] virtual std::vector<std::string> remarks(
        const catalog::RenderSettings& /*settings*/) const {
        return {};
    }

    /// Of files with tensors that no layer takes (component_checks.h) or holes of zeros: a line each,
    /// as remarks() has them.
    [[nodiscard]] const std::vector<std::string>& oddTensors() const { return m_oddTensors; }
    void noteOddTensors(std::vector<std::string> lines) { m_oddTensors = std::move(lines); }

    /// Of LoRAs that change nothing: a line each, as remarks() has them.
    [[nodiscard]] std::vector<std::string> idleLoras() const;

    /// How frames of an image model's clip see each other; nullopt where there is nothing to say.
    [[nodiscard]] virtual std::optional<result::TemporalRecord> temporal(
        const catalog::RenderSettings& /*settings*/) const {
        return std::nullopt;
    }

    /// Of the last render, the latents that it had before its frames saw each other; undefined where they saw
    /// each other throughout.
    [[nodiscard]] virtual at::Tensor framesApart() const { return {}; }

    /// What became of products in FP8 that were asked for; nullopt where none were.
    [[nodiscard]] std::optional<result::GemmRecord> gemms() const;

    [[nodiscard]] at::Device device() const { return m_options.execution.device; }
    [[nodiscard]] const execution::Execution& execution() const { return m_options.execution; }

  protected:
    [[nodiscard]] const LoadOptions& options() const { return m_options; }

  private:
    LoadOptions m_options;
    std::vector<std::string> m_oddTensors;
};

/// All stages up to "denoise": the latents that decode() takes, fp32 [1, z, T, H, W].
at::Tensor denoise(VideoModel& model, const catalog::RenderSettings& settings,
                   attention::Dispatcher& attention, StageClock& clock, LoopFollowers followers = {});

/// The stage "decode": whole, as frames are made, or in tiles, which several ranks share (called by all of
/// them then); a chunk of frames after another where the request says how many.
media::RgbVideo decode(const VideoModel& model, const at::Tensor& latents_1CTHW,
                       const catalog::RenderSettings& settings, StageClock& clock);

/// What goes through the VAE's decoder at once: the clip, or a chunk of it.
vae::ClipSize decodedTogether(const catalog::RenderSettings& settings);

/// The tiles that the request asks for; nullopt: whole.
std::optional<vae::Tiling> tilingFor(const vae::VideoVae& vae, const catalog::RenderSettings& settings);

/// About how many bytes a render takes beside the loaded weights, at its fullest moment.
std::uint64_t workingBytes(const VideoModel& model, const catalog::RenderSettings& settings);

}  // namespace reelgrid::denoising

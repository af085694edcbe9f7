#pragma once

#include <ATen/ATen.h>

#include "core/attention/dispatcher.h"
#include "core/catalog/render_settings.h"
#include "core/execution/execution.h"
#include "core/families/model_info.h"
#include "core/media/frame.h"
#include "core/pipeline/resume_point.h"
#include "core/pipeline/stage_clock.h"
#include "core/pipeline/step_observer.h"
#include "core/result/manifest.h"
#include "core/weights/lora.h"

namespace reelgrid::pipeline {

/// Where the transformer's blocks are while others compute (--offload).
enum class Offload { None, Blocks };
/// Whether the encoders of text and pictures stay in memory between the prompts.
enum class Encoders { Kept, FreedAfterUse };
/// What products of the transformer's linear layers, and of its time embedding, run in.
enum class Gemms { AsDtype, Fp8 };
enum class TimeGemms { Fp32, Bf16 };

/// About how many bytes of the device a render takes at its fullest moment, the model included, and in which
/// stage that is.
struct MemoryForecast {
    std::uint64_t peak = 0;
    std::string stage;
};

/// How a model is loaded: what its layers and its VAE compute in, and where. A text encoder may take a wider
/// type.
struct LoadOptions {
    at::ScalarType dtype = at::kFloat;
    at::ScalarType vaeDtype = at::kFloat;
    execution::Execution execution{};
    std::vector<weights::Lora> loras{}, secondLoras{};  ///< merged into the transformer; the second expert's
    Offload offload = Offload::None;
    Encoders encoders = Encoders::Kept;
    Gemms gemms = Gemms::AsDtype;
    TimeGemms timeGemms = TimeGemms::Fp32;
};

/// A loaded model of any family: text and denoising give latents, decoding gives pictures. Lives on one
/// thread.
class VideoModel {
  public:
    virtual ~VideoModel() = default;

    /// Runs the stages "text" and "denoise"; returns the final latents, fp32, as the family's VAE takes them
    /// (Wan: normalised, [1, C, T, H, W]). `observer`, where there is one, is told about every step.
    virtual at::Tensor denoise(const catalog::RenderSettings& settings, attention::Dispatcher& attention,
                               StageClock& clock, StepObserver* observer = nullptr) = 0;

    /// Runs the stage "decode": pictures from the latents of denoise().
    virtual media::RgbVideo decode(const at::Tensor& latents, const catalog::RenderSettings& settings,
                                   StageClock& clock) = 0;

    /// About how many bytes a render takes beside the loaded weights, at its fullest moment.
    [[nodiscard]] virtual std::uint64_t workingBytes(const catalog::RenderSettings& settings) const = 0;

    /// What became of products in FP8 that were asked for; nothing where none were.
    [[nodiscard]] virtual std::optional<result::GemmRecord> gemms() const { return std::nullopt; }

    /// Who has the next denoise() begin where an earlier one was interrupted, and is given what a later one
    /// would begin with; null: nobody. A family whose loop doesn't ask is always rendered from the start.
    void setResumePoints(ResumePoints* points) { m_resumePoints = points; }

  protected:
    [[nodiscard]] ResumePoints* resumePoints() const { return m_resumePoints; }

  private:
    ResumePoints* m_resumePoints = nullptr;
};

}  // namespace reelgrid::pipeline

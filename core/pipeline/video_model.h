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
#include "core/weights/lora.h"

namespace reelgrid::pipeline {

/// How a model is loaded: what its layers and its VAE compute in, and where. A text encoder may take a wider
/// type.
struct LoadOptions {
    at::ScalarType dtype = at::kFloat;
    at::ScalarType vaeDtype = at::kFloat;
    execution::Execution execution{};
    std::vector<weights::Lora> loras{}, secondLoras{};  ///< merged into the transformer; the second expert's
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

    /// Who has the next denoise() begin where an earlier one was interrupted, and is given what a later one
    /// would begin with; null: nobody. A family whose loop doesn't ask is always rendered from the start.
    void setResumePoints(ResumePoints* points) { m_resumePoints = points; }

  protected:
    [[nodiscard]] ResumePoints* resumePoints() const { return m_resumePoints; }

  private:
    ResumePoints* m_resumePoints = nullptr;
};

}  // namespace reelgrid::pipeline

#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns, M text
// tokens.

#include <ATen/ATen.h>

#include <map>
#include <optional>
#include <string>

#include "core/attention/dispatcher.h"
#include "core/models/cogvideox/graphed_forward.h"
#include "core/models/cogvideox/transformer.h"
#include "core/models/layers/guidance_caches.h"
#include "core/pipeline/stage_clock.h"

namespace reelgrid::models::cogvideox {

/// What a denoising loop is led by.
struct Conditions {
    at::Tensor prompt_BMC,
        negative_BMC;            ///< CogVideoXTransformer::prepareText(); without guidance no negative
    at::Tensor picture_BCTHW{};  ///< channels of image-to-video models beside the latents
    double guidance = 1;
    /// Steps of a render whose guidance grows with them; absent: it stays.
    std::optional<int> dynamicSteps{};
    double stepCache = 0;   ///< FirstBlockCache's threshold; 0: every pass runs whole
    int stepCacheFrom = 0;  ///< the first step that may skip
};

enum class Passes { Called, Graphed };

/// Predicts the velocity of each step with classifier-free guidance. Lives as long as the denoising loop.
class GuidedVelocity {
  public:
    /// Passes that are replayed tell the clock's parts nothing.
    GuidedVelocity(CogVideoXTransformer& model, Conditions conditions, Passes passes,
                   const execution::Execution& execution, pipeline::StageClock& clock);

    /// Two passes; one when there is no negative prompt to move away from.
    [[nodiscard]] at::Tensor predict(const at::Tensor& latents_BCTHW, double timestep, int step,
                                     attention::Dispatcher& attention);
    /// What later predictions depend on beside the latents: what caches hold. For a loop that begins at a
    /// later step.
    void save(std::map<std::string, at::Tensor>& into) const;
    void restore(const std::map<std::string, at::Tensor>& from);

  private:
    [[nodiscard]] double guidanceAt(double timestep) const;

    CogVideoXTransformer& m_model;
    Conditions m_conditions;
    at::Device m_device;
    pipeline::StageClock& m_clock;
    std::optional<GuidanceCaches> m_caches;
    std::optional<GraphedForward> m_graphed;
};

}  // namespace reelgrid::models::cogvideox

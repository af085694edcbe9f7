#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns, M text
// tokens.

#include <ATen/ATen.h>

#include <optional>

#include "core/attention/dispatcher.h"
#include "core/models/cogvideox/graphed_forward.h"
#include "core/models/cogvideox/transformer.h"

namespace reelgrid::models::cogvideox {

/// What a denoising loop is led by.
struct Conditions {
    at::Tensor prompt_BMC,
        negative_BMC;            ///< CogVideoXTransformer::prepareText(); without guidance no negative
    at::Tensor picture_BCTHW{};  ///< channels of image-to-video models beside the latents
    double guidance = 1;
    /// Steps of a render whose guidance grows with them; absent: it stays.
    std::optional<int> dynamicSteps{};
};

enum class Passes { Called, Graphed };

/// Predicts the velocity of each step with classifier-free guidance. Lives as long as the denoising loop.
class GuidedVelocity {
  public:
    /// Passes that are replayed tell `parts` nothing.
    GuidedVelocity(CogVideoXTransformer& model, Conditions conditions, Passes passes,
                   const execution::Execution& execution, execution::PartClock& parts);

    /// Two passes; one when there is no negative prompt to move away from.
    [[nodiscard]] at::Tensor predict(const at::Tensor& latents_BCTHW, double timestep, int step,
                                     attention::Dispatcher& attention);

  private:
    [[nodiscard]] double guidanceAt(double timestep) const;

    CogVideoXTransformer& m_model;
    Conditions m_conditions;
    execution::PartClock& m_parts;
    std::optional<GraphedForward> m_graphed;
};

}  // namespace reelgrid::models::cogvideox

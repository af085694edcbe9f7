#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

#include <ATen/ATen.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/attention/dispatcher.h"
#include "core/execution/execution.h"
#include "core/models/layers/guidance_caches.h"
#include "core/models/wan/experts.h"
#include "core/models/wan/graphed_forward.h"
#include "core/pipeline/stage_clock.h"

namespace reelgrid::models::wan {

/// What a denoising loop is led by.
struct Conditions {
    at::Tensor prompt, negative;     ///< umT5's; without guidance there is no negative one
    at::Tensor imageEmbedding;       ///< CLIP's; undefined in models that take none
    at::Tensor givenFrames_BCTHW{};  ///< ClipEncoder::givenFrames(), of models with channels for them
    at::Tensor firstFrame_BC1HW{};   ///< latents that stay as they are, of models whose tokens have timesteps
    double guidance[Experts::kMost]{};  ///< of each expert
    double stepCache = 0;               ///< FirstBlockCache's threshold; 0: every pass runs whole
    int stepCacheFrom = 0;              ///< the first step that may skip
};

enum class Passes { Called, Graphed };

/// Predicts the flow of each step: the expert whose step it is, with classifier-free guidance. Lives as long
/// as the denoising loop.
class GuidedFlow {
  public:
    GuidedFlow(Experts& experts, Conditions conditions, int trainTimesteps, Passes passes,
               const execution::Execution& execution, pipeline::StageClock& clock);

    /// Makes keys and values of the prompts for the expert of the first timestep, and for the other where
    /// both are in memory.
    void prepare(double firstTimestep);
    /// Two passes; one when there is no negative prompt to move away from.
    [[nodiscard]] at::Tensor predict(const at::Tensor& latents_BCTHW, double timestep, int step,
                                     attention::Dispatcher& attention);
    /// What later predictions depend on beside the latents: what caches hold. For a loop that begins at a
    /// later step, after prepare().
    void save(std::map<std::string, at::Tensor>& into) const;
    void restore(const std::map<std::string, at::Tensor>& from);
    /// The latents with the frame that is given.
    [[nodiscard]] at::Tensor withFirstFrame(const at::Tensor& latents_BCTHW) const;

  private:
    /// What one expert needs of the prompts, at addresses that stay.
    struct Prepared {
        PreparedText prompt;
        std::optional<PreparedText> negative;
        std::unique_ptr<GraphedForward> graphed;
        std::optional<GuidanceCaches> caches;
    };
    [[nodiscard]] Prepared& preparedFor(Experts::Index expert);
    [[nodiscard]] StepEmbedding embed(const WanTransformer& model, const at::Tensor& latents_BCTHW,
                                      double timestep) const;

    Experts& m_experts;
    Conditions m_conditions;
    int m_trainTimesteps;
    Passes m_passes;
    execution::Execution m_execution;
    pipeline::StageClock& m_clock;
    std::unique_ptr<Prepared> m_prepared[Experts::kMost];
};

}  // namespace reelgrid::models::wan

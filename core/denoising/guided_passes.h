#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "core/attention/graphed_passes.h"
#include "core/denoising/guidance.h"
#include "core/denoising/guided_model.h"
#include "core/denoising/named_tensors.h"
#include "core/denoising/stage_clock.h"
#include "core/denoising/step_caches.h"
#include "core/parallel/mesh.h"

namespace reelgrid::denoising {

/// Predicts each step of a network with classifier-free guidance: its passes called, cut short by step
/// caches, or replayed as CUDA graphs. Lives as long as the sampling loop.
class GuidedPasses {
  public:
    /// Passes that are replayed tell the clock's parts nothing.
    GuidedPasses(GuidedModel& model, Guidance guidance, const execution::Execution& execution,
                 StageClock& clock);

    /// Two passes; one without guidance, three with skip-layer guidance.
    [[nodiscard]] at::Tensor predict(const at::Tensor& input, double timestep, int step,
                                     attention::Dispatcher& attention);

    /// What step caches hold, by names that begin with `prefix`.
    void save(const std::string& prefix, NamedTensors& into) const;
    void restore(const std::string& prefix, const NamedTensors& from);

  private:
    [[nodiscard]] at::Tensor pass(attention::GuidanceBranch branch, int step, models::Skip& skip,
                                  attention::Dispatcher& attention);
    [[nodiscard]] at::Tensor foretoldPass(attention::GuidanceBranch branch, int step,
                                          models::TaylorSeries& series,
                                          const attention::LayerContext& context);
    [[nodiscard]] at::Tensor passWithoutLayers(attention::Dispatcher& attention);
    [[nodiscard]] at::Tensor predictOnRanks(int step, models::Skip& skip, attention::Dispatcher& attention);

    GuidedModel& m_model;
    Guidance m_guidance;
    at::Device m_device;
    parallel::Mesh* m_mesh;  ///< null: this process computes all
    StageClock& m_clock;
    std::optional<StepCaches> m_caches;
    std::optional<attention::GraphedPasses> m_graphed;
};

}  // namespace reelgrid::denoising

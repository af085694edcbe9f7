#pragma once

#include <memory>

#include "core/denoising/denoiser.h"
#include "core/denoising/guided_passes.h"
#include "core/denoising/latent_noise.h"

namespace reelgrid::denoising {

/// A denoiser of one network: predictions are GuidedPasses', and what later steps depend on is their caches
/// and the noise. A family says where the latents start.
class GuidedDenoiser : public Denoiser {
  public:
    struct Parts {
        std::unique_ptr<GuidedModel> model;
        std::unique_ptr<LatentNoise> noise;  ///< at an address that stays: samplers may draw from it
        std::unique_ptr<schedulers::Scheduler> scheduler;
        Guidance guidance;
    };
    GuidedDenoiser(Parts parts, const execution::Execution& execution, StageClock& clock);

    [[nodiscard]] schedulers::Scheduler& scheduler() override { return *m_parts.scheduler; }
    [[nodiscard]] at::Tensor predict(const at::Tensor& input, int step,
                                     attention::Dispatcher& attention) override;
    void save(NamedTensors& into) const override;
    void restore(const NamedTensors& from) override;

  protected:
    [[nodiscard]] LatentNoise& noise() { return *m_parts.noise; }

  private:
    Parts m_parts;
    GuidedPasses m_passes;
};

}  // namespace reelgrid::denoising

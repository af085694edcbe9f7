#pragma once

#include <functional>
#include <memory>

#include "core/denoising/denoiser.h"
#include "core/denoising/guided_passes.h"
#include "core/denoising/latent_noise.h"

namespace reelgrid::denoising {

/// A denoiser of one network: predictions are GuidedPasses', and what later steps depend on is their caches
/// and the noise.
class GuidedDenoiser final : public Denoiser {
  public:
    struct Parts {
        std::unique_ptr<GuidedModel> model;
        std::unique_ptr<LatentNoise> noise;  ///< at an address that stays: samplers may draw from it
        std::unique_ptr<schedulers::Scheduler> scheduler;
        Guidance guidance;
        /// Unit noise of the latents' shape, where they start.
        std::function<at::Tensor(LatentNoise& noise)> start;
        /// Denoiser::afterSteps(); empty: nothing follows them.
        std::function<at::Tensor(const at::Tensor& latents, attention::Dispatcher& attention)> afterSteps{};
        /// Denoiser::finished(); empty: nothing is left to do.
        std::function<at::Tensor(const at::Tensor& latents)> finish{};
    };
    GuidedDenoiser(Parts parts, const execution::Execution& execution, StageClock& clock);

    [[nodiscard]] schedulers::Scheduler& scheduler() override { return *m_parts.scheduler; }
    [[nodiscard]] at::Tensor initialLatents() override {
        return m_parts.start(*m_parts.noise) * m_parts.scheduler->initialNoiseSigma();
    }
    [[nodiscard]] at::Tensor afterSteps(at::Tensor latents, attention::Dispatcher& attention) override {
        return m_parts.afterSteps ? m_parts.afterSteps(latents, attention) : latents;
    }
    [[nodiscard]] at::Tensor finished(at::Tensor latents) override {
        return m_parts.finish ? m_parts.finish(latents) : latents;
    }
    [[nodiscard]] at::Tensor predict(const at::Tensor& input, int step,
                                     attention::Dispatcher& attention) override;
    void save(NamedTensors& into) const override;
    void restore(const NamedTensors& from) override;

  private:
    Parts m_parts;
    GuidedPasses m_passes;
};

}  // namespace reelgrid::denoising

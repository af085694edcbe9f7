#pragma once

#include <ATen/ATen.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/denoising/denoiser.h"
#include "core/denoising/guided_passes.h"
#include "core/denoising/latent_noise.h"
#include "core/models/wan/experts.h"
#include "core/models/wan/prompted_transformer.h"

namespace reelgrid::models::wan {

/// Predicts the flow of each step with the expert whose step it is.
class WanDenoiser final : public denoising::Denoiser {
  public:
    struct Parts {
        denoising::EncodedPrompts prompts;
        GivenPictures pictures;
        std::unique_ptr<schedulers::Scheduler> scheduler;
        std::int64_t trainTimesteps = 1000;
        std::optional<double> boundaryRatio;                       ///< between experts, if not the model's
        std::array<denoising::Guidance, Experts::kMost> guidance;  ///< of each expert
        std::vector<std::int64_t> shape_BCTHW;                     ///< of the latents
        /// At an address that stays: the sampler may draw from it.
        std::unique_ptr<denoising::LatentNoise> noise;
    };
    WanDenoiser(Experts& experts, Parts parts, const execution::Execution& execution,
                denoising::StageClock& clock);

    [[nodiscard]] schedulers::Scheduler& scheduler() override { return *m_parts.scheduler; }
    /// Makes keys and values of the prompts for the step's expert, and for the other where both are in
    /// memory.
    void begin(int firstStep) override;
    [[nodiscard]] at::Tensor initialLatents() override;
    [[nodiscard]] at::Tensor predict(const at::Tensor& input_BCTHW, int step,
                                     attention::Dispatcher& attention) override;
    [[nodiscard]] at::Tensor finished(at::Tensor latents_BCTHW) override;
    void save(denoising::NamedTensors& into) const override;
    void restore(const denoising::NamedTensors& from) override;

  private:
    /// An expert with the prompts, and its passes.
    struct Prompted {
        PromptedTransformer model;
        denoising::GuidedPasses passes;

        Prompted(WanTransformer& transformer, Experts::Index expert, const WanDenoiser& render);
    };
    [[nodiscard]] double timestepOf(int step) const;
    [[nodiscard]] Experts::Index expertAt(int step) const;
    [[nodiscard]] Prompted& prompted(Experts::Index expert);

    Experts& m_experts;
    Parts m_parts;
    execution::Execution m_execution;
    denoising::StageClock& m_clock;
    std::array<std::unique_ptr<Prompted>, Experts::kMost> m_prompted;
};

}  // namespace reelgrid::models::wan

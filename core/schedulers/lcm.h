#pragma once

#include "core/schedulers/scheduler.h"
#include "core/schedulers/vp_training.h"

namespace reelgrid::schedulers {

/// Latent consistency models (arXiv 2310.04378): each step predicts the picture, and fresh noise leads to the
/// next level. Source: diffusers 0.40, scheduling_lcm.py.
class Lcm final : public Scheduler {
  public:
    /// Where its configuration doesn't say; other samplers' is another.
    static constexpr NoiseScheduleOptions kUsualNoise{
        .betaStart = 0.00085, .betaEnd = 0.012, .spacing = BetaSpacing::ScaledLinear};

    /// `noise` has to give noise of the sample's shape. Throws Failure(Unsupported or InvalidData) naming key
    /// and value.
    Lcm(const weights::ModelConfig& config, NoiseSource noise);

    /// At most as many as it was distilled with, original_inference_steps.
    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] std::optional<SchedulerState> state() const override { return SchedulerState{}; }
    [[nodiscard]] at::Tensor noised(const at::Tensor& picture, const at::Tensor& noise,
                                    std::int64_t i) const override {
        return mixedByShare(picture, noise, m_sigmas.at(static_cast<std::size_t>(i)));
    }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;

  private:
    VpTraining m_training;
    std::int64_t m_originalSteps;
    double m_timestepScaling;
    double m_clipRange;
    std::vector<std::int64_t> m_steps;
    NoiseSource m_noise;
};

}  // namespace reelgrid::schedulers

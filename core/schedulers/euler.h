#pragma once

#include <utility>

#include "core/schedulers/scheduler.h"
#include "core/schedulers/vp_sigmas.h"
#include "core/schedulers/vp_training.h"

namespace reelgrid::schedulers {

/// Euler's method along the noise levels σ of a variance-preserving model, x = picture + σ noise (Karras et
/// al., arXiv 2206.00364, algorithm 2 without churn). Source: diffusers 0.40, scheduling_euler_discrete.py.
class EulerDiscrete : public Scheduler {
  public:
    /// Throws Failure(Unsupported or InvalidData) naming key and value.
    explicit EulerDiscrete(const weights::ModelConfig& config);

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] double initialNoiseSigma() const override;
    [[nodiscard]] at::Tensor scaleModelInput(const at::Tensor& sample, std::int64_t i) const override;
    [[nodiscard]] at::Tensor noised(const at::Tensor& picture, const at::Tensor& noise,
                                    std::int64_t i) const override {
        return picture + noise * m_sigmas.at(static_cast<std::size_t>(i));
    }
    [[nodiscard]] std::optional<SchedulerState> state() const override { return SchedulerState{}; }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;

  protected:
    /// One whose configuration says nothing of levels or of what the model is told: those of its timesteps.
    explicit EulerDiscrete(VpTraining training) : m_training(std::move(training)) {}

    [[nodiscard]] VpPrediction prediction() const { return m_training.prediction; }

    /// The sample at the level `sigma` after step i, without noise of its own.
    [[nodiscard]] at::Tensor movedTo(double sigma, const at::Tensor& modelOutput, std::int64_t i,
                                     const at::Tensor& sample) const;

  private:
    /// What the model is told of a level: a training timestep, or a quarter of its logarithm (EDM's).
    enum class Told { Timestep, LogSigma };

    VpTraining m_training;
    VpSigmas m_levels;
    Told m_told = Told::Timestep;
};

/// Euler's method to a lower level than the next, and noise up to it again in every step. It has no levels of
/// its own: Karras' and the like, which another sampler's configuration may ask for, aren't read, as in the
/// reference. Source: diffusers 0.40, scheduling_euler_ancestral_discrete.py.
class EulerAncestral final : public EulerDiscrete {
  public:
    /// `noise` has to give noise of the sample's shape. Throws as EulerDiscrete.
    EulerAncestral(const weights::ModelConfig& config, NoiseSource noise);

    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;

  private:
    NoiseSource m_noise;
};

}  // namespace reelgrid::schedulers

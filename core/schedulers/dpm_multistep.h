#pragma once

#include "core/schedulers/scheduler.h"
#include "core/schedulers/vp_sigmas.h"
#include "core/schedulers/vp_training.h"

namespace reelgrid::schedulers {

/// DPM-Solver++ of the first and second order, multistep (Lu et al., arXiv 2211.01095), and its stochastic
/// form. Source: diffusers 0.40, scheduling_dpmsolver_multistep.py.
class DpmMultistep final : public Scheduler {
  public:
    /// `noise` has to give noise of the sample's shape where algorithm_type is sde-dpmsolver++. Throws
    /// Failure(Unsupported or InvalidData) naming key and value.
    DpmMultistep(const weights::ModelConfig& config, NoiseSource noise);

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] at::Tensor noised(const at::Tensor& picture, const at::Tensor& noise,
                                    std::int64_t i) const override {
        const Level level = levelAt(i);
        return level.alpha * picture + level.sigma * noise;
    }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;
    [[nodiscard]] std::optional<SchedulerState> state() const override;
    void restore(std::int64_t next, const SchedulerState& state) override;

  private:
    enum class Solver { Midpoint, Heun };
    enum class Noise { None, EachStep };
    /// What becomes of the last step's order: 1 with few steps, always, or as the others'.
    enum class LastStep { FirstOrderOfFew, FirstOrder, AsOthers };
    /// A level as the solver sees it: x = alpha picture + sigma noise, lambda = log(alpha / sigma).
    struct Level {
        double alpha = 1, sigma = 0, lambda = 0;
    };
    [[nodiscard]] Level levelAt(std::int64_t i) const;
    [[nodiscard]] std::int64_t orderAt(std::int64_t i) const;
    [[nodiscard]] std::int64_t lastTrainedTimestep() const;

    VpTraining m_training;
    VpSigmas m_levels;
    std::int64_t m_solverOrder = 2;
    Solver m_solver = Solver::Midpoint;
    Noise m_noiseUse = Noise::None;
    LastStep m_lastStep = LastStep::FirstOrderOfFew;
    double m_lambdaMinClipped;
    bool m_roundsTimesteps = true;
    NoiseSource m_noise;
    at::Tensor m_lastPicture;  ///< that the step before predicted
};

}  // namespace reelgrid::schedulers

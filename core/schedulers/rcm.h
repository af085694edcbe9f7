#pragma once

#include <vector>

#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"

namespace reelgrid::schedulers {

/// One to four steps of a model that was distilled with rCM (Zheng et al., arXiv 2510.08431), at the times
/// t = sin θ / (sin θ + cos θ) of the angles atan(σmax), 1.5, 1.4, 1.0 and 0. Source: TurboDiffusion,
/// inference/wan2.1_t2v_infer.py and wan2.2_i2v_infer.py.
class Rcm final : public Scheduler {
  public:
    /// How a step goes on from the predicted picture x − t v.
    enum class Walk {
        Sde,  ///< (1 − t') (x − t v) + t' noise, drawn anew in each step
        Ode,  ///< x − (t − t') v
    };
    static std::unique_ptr<Scheduler> makeSde(const SchedulerSource& source);
    static std::unique_ptr<Scheduler> makeOde(const SchedulerSource& source);
    /// `noise` is for Walk::Sde.
    Rcm(Walk walk, double sigmaMax, NoiseSource noise);

    /// The model is told 1000 t rounded to bf16, whatever it computes in.
    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] double initialNoiseSigma() const override { return m_times.front(); }
    /// Nothing: where the noise is belongs to its source.
    [[nodiscard]] std::optional<SchedulerState> state() const override { return SchedulerState{}; }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;

  private:
    Walk m_walk;
    double m_sigmaMax;
    NoiseSource m_noise;
    std::vector<double> m_times;
};

}  // namespace reelgrid::schedulers

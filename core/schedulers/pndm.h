#pragma once

#include <deque>

#include "core/schedulers/scheduler.h"
#include "core/schedulers/vp_training.h"

namespace reelgrid::schedulers {

/// Pseudo linear multistep (arXiv 2202.09778) as Stable Diffusion's own configuration has it: no Runge-Kutta
/// steps, the second timestep twice, so one step more than were asked for where there are at least two.
/// Source: diffusers 0.40, scheduling_pndm.py.
class Pndm final : public Scheduler {
  public:
    /// Throws Failure(Unsupported or InvalidData) naming key and value.
    explicit Pndm(const weights::ModelConfig& config);

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] at::Tensor noised(const at::Tensor& picture, const at::Tensor& noise,
                                    std::int64_t i) const override {
        return mixedByShare(picture, noise, m_sigmas.at(static_cast<std::size_t>(i)));
    }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;
    [[nodiscard]] std::optional<SchedulerState> state() const override;
    void restore(std::int64_t next, const SchedulerState& state) override;

  private:
    [[nodiscard]] double alphaCumprod(std::int64_t timestep) const;
    [[nodiscard]] Value combined(execution::FusedValues& values) const;
    [[nodiscard]] Value moved(const Value& sample, std::int64_t from, std::int64_t to,
                              const Value& output) const;

    VpTraining m_training;
    double m_finalAlphaCumprod = 1;
    std::int64_t m_stride = 1;  ///< training timesteps of a step
    std::vector<std::int64_t> m_steps;
    std::deque<at::Tensor> m_outputs;  ///< of the steps so far, newest first
    at::Tensor m_firstSample;          ///< what the first step began from, until the second has
};

}  // namespace reelgrid::schedulers

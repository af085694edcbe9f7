#pragma once

#include "core/schedulers/cogvideox_schedule.h"
#include "core/schedulers/scheduler.h"

namespace reelgrid::schedulers {

/// The second-order stochastic solver that CogVideoX-5b is sampled with (DPM-Solver++ 2M SDE, arXiv
/// 2211.01095), which draws fresh noise in each step. Source: diffusers 0.40, scheduling_dpm_cogvideox.py.
class Dpm final : public Scheduler {
  public:
    /// `noise` has to give noise of the sample's shape.
    Dpm(CogVideoXSchedule schedule, NoiseSource noise)
        : m_schedule(std::move(schedule)), m_noise(std::move(noise)) {}

    void setTimesteps(std::int64_t steps) override;
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;
    /// Without the noise source's, which is whoever gave it's to keep.
    [[nodiscard]] std::optional<SchedulerState> state() const override;
    void restore(std::int64_t next, const SchedulerState& state) override;

  private:
    CogVideoXSchedule m_schedule;
    NoiseSource m_noise;
    std::vector<std::int64_t> m_steps;
    at::Tensor m_lastPicture;  ///< that the step before predicted
};

}  // namespace reelgrid::schedulers

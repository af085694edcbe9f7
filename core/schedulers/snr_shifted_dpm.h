#pragma once

#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"
#include "core/schedulers/snr_shifted_schedule.h"

namespace reelgrid::schedulers {

/// A second-order stochastic solver (DPM-Solver++ 2M SDE, arXiv 2211.01095), which draws fresh noise in each
/// step. Source: diffusers 0.40, scheduling_dpm_cogvideox.py.
class SnrShiftedDpm final : public Scheduler {
  public:
    static std::unique_ptr<Scheduler> make(const SchedulerSource& source);
    /// `noise` has to give noise of the sample's shape.
    SnrShiftedDpm(SnrShiftedSchedule schedule, NoiseSource noise)
        : m_schedule(std::move(schedule)), m_noise(std::move(noise)) {}

    void setTimesteps(std::int64_t steps) override;
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;
    /// Without the state of the noise source, which its owner keeps.
    [[nodiscard]] std::optional<SchedulerState> state() const override;
    void restore(std::int64_t next, const SchedulerState& state) override;

  private:
    SnrShiftedSchedule m_schedule;
    NoiseSource m_noise;
    std::vector<std::int64_t> m_steps;
    at::Tensor m_lastPicture;  ///< that the step before predicted
};

}  // namespace reelgrid::schedulers

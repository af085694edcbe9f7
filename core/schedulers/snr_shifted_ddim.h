#pragma once

#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"
#include "core/schedulers/snr_shifted_schedule.h"

namespace reelgrid::schedulers {

/// Denoising diffusion implicit models (arXiv 2010.02502) without noise of their own, of a model that
/// predicts v = √ᾱ noise - √(1 - ᾱ) picture. Source: diffusers 0.40, scheduling_ddim_cogvideox.py.
class SnrShiftedDdim final : public Scheduler {
  public:
    static std::unique_ptr<Scheduler> make(const SchedulerSource& source);
    explicit SnrShiftedDdim(SnrShiftedSchedule schedule) : m_schedule(std::move(schedule)) {}

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] std::optional<SchedulerState> state() const override { return SchedulerState{}; }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;

  private:
    SnrShiftedSchedule m_schedule;
    std::vector<std::int64_t> m_steps;
};

}  // namespace reelgrid::schedulers

#pragma once

#include "core/schedulers/flow_sigmas.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"

namespace reelgrid::schedulers {

/// x' = x + (σ' - σ) v. Source: diffusers 0.40, scheduling_flow_match_euler_discrete.py.
class FlowMatchEuler final : public Scheduler {
  public:
    /// Throws Failure(Unsupported) for a variant that its scheduler_config.json asks for and isn't here.
    static std::unique_ptr<Scheduler> make(const SchedulerSource& source);
    explicit FlowMatchEuler(const FlowSigmas& sigmas) : m_flow(sigmas) {}

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] std::optional<SchedulerState> state() const override { return SchedulerState{}; }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;

  private:
    FlowSigmas m_flow;
};

}  // namespace reelgrid::schedulers

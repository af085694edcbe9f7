#pragma once

#include "core/schedulers/scheduler.h"
#include "core/schedulers/vp_training.h"

namespace reelgrid::schedulers {

/// Denoising diffusion implicit models (arXiv 2010.02502) without noise of their own, of a
/// variance-preserving model. Source: diffusers 0.40, scheduling_ddim.py.
class VpDdim final : public Scheduler {
  public:
    /// Throws Failure(Unsupported or InvalidData) naming key and value.
    explicit VpDdim(const weights::ModelConfig& config);

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] std::optional<SchedulerState> state() const override { return SchedulerState{}; }
    [[nodiscard]] at::Tensor noised(const at::Tensor& picture, const at::Tensor& noise,
                                    std::int64_t i) const override {
        return mixedByShare(picture, noise, m_sigmas.at(static_cast<std::size_t>(i)));
    }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;

  private:
    [[nodiscard]] double alphaCumprod(std::int64_t timestep) const;
    [[nodiscard]] std::int64_t previous(std::int64_t timestep) const;

    VpTraining m_training;
    double m_clipRange;
    double m_finalAlphaCumprod = 1;
    std::vector<std::int64_t> m_steps;
};

}  // namespace reelgrid::schedulers

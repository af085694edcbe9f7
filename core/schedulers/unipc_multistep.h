#pragma once

#include <deque>

#include "core/execution/fused_values.h"
#include "core/schedulers/flow_sigmas.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"

namespace reelgrid::schedulers {

enum class UniPCType { Bh1, Bh2 };
enum class FinalSigma { Zero, Smallest };

struct UniPCOptions {
    std::int64_t solverOrder = 2;  ///< 1 to 3
    UniPCType type = UniPCType::Bh2;
    FinalSigma finalSigma = FinalSigma::Zero;
    std::vector<std::int64_t> disableCorrector;  ///< steps after which the corrector is left out

    /// Those of a UniPCMultistepScheduler's scheduler_config.json. Throws Failure(Unsupported) naming key and
    /// value.
    static UniPCOptions from(const weights::ModelConfig& config);
};

/// The unified predictor-corrector of Zhao et al. (arXiv 2302.04867), data prediction on flow levels.
/// Source: diffusers 0.40, scheduling_unipc_multistep.py; its coefficients are float32 and so are these.
class UniPCMultistep final : public Scheduler {
  public:
    /// Throws Failure(Unsupported) for a variant that its scheduler_config.json asks for and isn't here.
    static std::unique_ptr<Scheduler> make(const SchedulerSource& source);
    UniPCMultistep(const FlowSigmas& sigmas, UniPCOptions options);

    void setTimesteps(std::int64_t steps) override;
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;
    [[nodiscard]] std::optional<SchedulerState> state() const override;
    void restore(std::int64_t next, const SchedulerState& state) override;

  private:
    struct Move;

    /// The predictor's order at step i.
    [[nodiscard]] std::int64_t orderAt(std::int64_t i) const;
    /// The step in log-SNR from level `from` to level `to` with `order - 1` earlier levels.
    [[nodiscard]] Move moveBetween(std::int64_t from, std::int64_t to, std::int64_t order) const;
    [[nodiscard]] at::Tensor lambda(std::int64_t i) const;
    using Value = execution::FusedValues::Value;
    /// What comes behind step i, whose predicted clean sample is `newest`.
    [[nodiscard]] Value predict(execution::FusedValues& values, std::int64_t i, const Value& sample,
                                const Value& newest) const;
    [[nodiscard]] Value correct(execution::FusedValues& values, std::int64_t i, const Value& picture) const;

    FlowSigmas m_flow;
    UniPCOptions m_options;
    std::deque<at::Tensor> m_pictures;  ///< predicted clean samples, newest first
    at::Tensor m_lastSample;            ///< what the last predictor step began from
    std::int64_t m_lastOrder = 0;
    std::int64_t m_next = 0;
};

}  // namespace reelgrid::schedulers

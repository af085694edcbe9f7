#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "core/attention/call_settings.h"
#include "core/attention/inputs.h"
#include "core/benchmark/attention_input.h"
#include "core/benchmark/stopwatch.h"
#include "core/execution/execution.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::benchmark {

/// One call of attention that every backend can be asked to run, without the dispatcher's fallback and
/// without a copy of the output.
class AttentionSubject {
  public:
    /// `input` is on the execution's device. What `context` points to lives as long as this; its options are
    /// those of `settings`.
    AttentionSubject(AttentionInput input, kernels::Mask mask, kernels::KeySmoothing smoothing,
                     const execution::Execution& execution, attention::CallSettings settings = {},
                     const kernels::CallContext& context = {});

    /// Why the backend can't run it; nothing when it can.
    [[nodiscard]] std::optional<std::string> whyNot(const kernels::BackendInfo& backend) const;

    /// o_BHND. On a GPU the work is only queued. libtorch's operators note no preparation.
    [[nodiscard]] at::Tensor run(const kernels::BackendInfo& backend,
                                 Preparation* preparation = nullptr) const;

    /// The same of a plug-in, with all that a render looks for: throws a Failure naming a plug-in that leaves
    /// values unwritten, writes outside its memory or changes its inputs.
    [[nodiscard]] at::Tensor runGuarded(const kernels::BackendInfo& plugin) const;

    /// After run() without a preparation, of a sparse method that tells it: the share of the pairs of blocks
    /// that it kept. Waits for a GPU.
    [[nodiscard]] std::optional<double> kept() const;

    /// Which of its kernels libtorch's sdpa picks: "flash", "cudnn", "mem_efficient", "math".
    [[nodiscard]] std::string choiceOfSdpa() const;

    [[nodiscard]] const AttentionInput& input() const { return m_input; }
    [[nodiscard]] attention::Inputs inputs() const {
        return {m_input.q_BHND, m_input.k_BHMD, m_input.v_BHMD, m_input.keyBias_M};
    }

  private:
    [[nodiscard]] kernels::AttentionProblem problemFor(const kernels::BackendInfo& backend) const;
    [[nodiscard]] at::Tensor runLibtorch(kernels::LibtorchOperator which) const;
    [[nodiscard]] bool sharesKeyHeads() const;
    /// Whether libtorch's own causal mask, which it aligns at the top left, is the one that is meant.
    [[nodiscard]] bool usesLibtorchsMask() const;

    mutable at::Tensor m_kept;
    AttentionInput m_input;
    kernels::Mask m_mask;
    kernels::KeySmoothing m_smoothing;
    execution::Execution m_execution;
    attention::CallSettings m_settings;
    kernels::CallContext m_context;
    std::optional<at::Tensor>
        m_scoreMask;  ///< for sdpa: causal mask and key bias that it has no other way for
    /// The input's proj_l; where it has none, as it is before training: a linear branch costs what it costs
    /// and adds nothing.
    at::Tensor m_projL_DD;
};

}  // namespace reelgrid::benchmark

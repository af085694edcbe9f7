#pragma once

// Shape legend: B batch, H heads, N query tokens, D head dim.

#include <string>
#include <vector>

#include "core/attention/dispatcher.h"
#include "core/execution/execution.h"
#include "core/lockstep/error_sums.h"
#include "core/metrics/lockstep_map.h"

namespace reelgrid::lockstep {

/// Stands where a model's attention goes: the reference serves every call, and in those that
/// --attention-type covers each other backend computes from the same inputs what its error is measured on.
class LockstepDispatcher final : public attention::Dispatcher {
  public:
    /// `layers` and `steps` are how many sites the map will have; names must be known.
    LockstepDispatcher(const std::vector<std::string>& backends, int layers, int steps,
                       const execution::Execution& execution);

    at::Tensor attend(const attention::Inputs& inputs, const attention::CallSite& site) override;
    void beginPass(int step, attention::GuidanceBranch branch) override;
    /// Nothing: these calls are none of the clip's.
    [[nodiscard]] std::vector<attention::CallRecord> records() const override { return {}; }

    /// The attention's part of the map so far.
    [[nodiscard]] metrics::LockstepMap map() const;

  private:
    struct Site {
        ErrorSums sums{};
        double seconds = 0;
        bool complete = true;  ///< it ran in every call here
    };
    struct Backend {
        std::string name;
        std::vector<Site> sites;
        std::string why{};
    };
    void compare(Backend& backend, std::size_t site, const at::Tensor& reference_BHND,
                 const attention::Inputs& inputs, const attention::CallSite& callSite);

    execution::Execution m_execution;
    int m_step = 0;
    metrics::LockstepMap m_frame;  ///< extent, and the reference's seconds
    std::vector<Backend> m_backends;
};

}  // namespace reelgrid::lockstep

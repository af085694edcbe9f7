#pragma once

// Shape legend: B batch, H heads, N query tokens, D head dim.

#include <string>
#include <vector>

#include "core/attention/call_observer.h"
#include "core/attention/call_settings.h"
#include "core/execution/execution.h"
#include "core/lockstep/error_sums.h"
#include "core/metrics/lockstep_map.h"

namespace reelgrid::lockstep {

/// Watches calls that the reference serves: in those that --attention-type covers each other backend computes
/// from the same inputs what its error is measured on.
class CallComparison final : public attention::CallObserver {
  public:
    /// `layers` and `steps` are how many sites the map will have; names must be known.
    CallComparison(const std::vector<std::string>& backends, int layers, int steps,
                   const execution::Execution& execution, attention::CallSettings settings);

    void served(const attention::Call& call, const attention::Served& reference) override;
    /// Never: every pass is called.
    void replayed(const attention::Pass&, const attention::RecordedCall&) override {}
    [[nodiscard]] attention::Replay replayOf(const attention::Pass&) const override {
        return attention::Replay::Refused;
    }

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
    void compare(Backend& backend, std::size_t site, const attention::Call& call,
                 const at::Tensor& reference_BHND) const;

    execution::Execution m_execution;
    attention::CallSettings m_settings;
    metrics::LockstepMap m_frame;  ///< extent, and the reference's seconds
    std::vector<Backend> m_backends;
};

}  // namespace reelgrid::lockstep

#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "core/protocol/attention_call.h"
#include "core/protocol/call_map.h"

namespace reelgrid::attention {

/// Sums up calls: one record for each module kind, backend asked for and backend that ran.
class CallRecords {
  public:
    /// `seconds` and `kept` (fp64 [] on any device) are absent where none were measured.
    void count(protocol::ModuleKind kind, const protocol::BackendChoice& choice,
               std::optional<double> seconds, const at::Tensor& kept = {});

    /// Waits for devices on which calls tell what they kept.
    [[nodiscard]] const std::vector<protocol::CallRecord>& all() const;

  private:
    /// Of a record's calls that told it.
    struct KeptShares {
        at::Tensor sum;  ///< stays on the device
        int calls = 0;
    };

    mutable std::vector<protocol::CallRecord> m_records;
    std::vector<KeptShares> m_kept;  ///< of each record
};

}  // namespace reelgrid::attention

#pragma once

#include <optional>
#include <vector>

#include "core/protocol/attention_call.h"
#include "core/protocol/call_map.h"

namespace reelgrid::attention {

/// Sums up calls: one record for each module kind, backend asked for and backend that ran.
class CallRecords {
  public:
    /// `seconds` and `kept` are absent where none were measured.
    void count(protocol::ModuleKind kind, const protocol::BackendChoice& choice,
               std::optional<double> seconds, std::optional<double> kept = std::nullopt);

    [[nodiscard]] const std::vector<protocol::CallRecord>& all() const { return m_records; }

  private:
    std::vector<protocol::CallRecord> m_records;
};

}  // namespace reelgrid::attention

#pragma once

#include <cstdint>
#include <optional>

#include "core/execution/execution.h"

namespace reelgrid::benchmark {

/// Memory of one part of a program at its fullest, above what there was when this was made: on the CPU the
/// process's resident memory (pages of mapped weights included), on a GPU what libtorch's allocator has
/// handed out. Before, memory that is only kept for reuse is given back, so that one part's isn't the next
/// one's.
class PeakMemory {
  public:
    explicit PeakMemory(const execution::Execution& execution);

    /// Peaks count from now.
    void restart();
    /// The highest since restart(); absent where the system doesn't tell.
    [[nodiscard]] std::optional<std::uint64_t> bytes() const;

  private:
    execution::Execution m_execution;
    std::optional<std::uint64_t> m_before;
    bool m_restarted = false;
};

}  // namespace reelgrid::benchmark

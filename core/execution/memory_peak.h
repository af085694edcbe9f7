#pragma once

#include <cstdint>
#include <optional>

#include "core/execution/execution.h"

namespace reelgrid::execution {

// Of this process: on the CPU its resident memory (pages of mapped weights included), on a GPU what
// libtorch's allocator has handed out. Absent where the system doesn't tell.

std::optional<std::uint64_t> memoryInUse(const Execution& execution);

/// What nobody else could be given: on the CPU without the pages of files, on a GPU as memoryInUse().
std::optional<std::uint64_t> ownMemory(const Execution& execution);

/// The peak counts from now; false where it can't be started anew.
bool restartMemoryPeak(const Execution& execution);
/// The most that was in use at once since then.
std::optional<std::uint64_t> memoryPeak(const Execution& execution);

}  // namespace reelgrid::execution

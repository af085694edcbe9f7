#pragma once

#include <cstdint>
#include <string>

#include "core/execution/execution.h"

namespace reelgrid::execution {

/// Bytes that this process can still take on the execution's device without swapping (on the CPU Linux'
/// MemAvailable, and the control group's limit where it is lower; on a GPU what is free and what libtorch
/// keeps in reserve); nothing known gives the largest value.
std::uint64_t availableMemory(const Execution& execution);

/// Throws Failure(OutOfMemory) when `needed` is more than is available: better at once than killed half-way.
/// `what` names the render, "1280×720, 81 frames", `ways` what would take less; `own` bytes of this process
/// count as available, too.
void requireMemory(const Execution& execution, std::uint64_t needed, std::uint64_t own,
                   const std::string& what, const std::string& ways);

}  // namespace reelgrid::execution

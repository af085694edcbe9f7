#pragma once

#include <cstdint>
#include <string>

namespace reelgrid::pipeline {

/// Bytes that this process can still take without swapping (Linux' MemAvailable, and the control group's
/// limit where it is lower); nothing known gives the largest value.
std::uint64_t availableMemory();

/// Throws Failure(OutOfMemory) when `needed` is more than is available: better at once than killed half-way.
/// `what` names the render: "1280×720, 81 frames".
void requireMemory(std::uint64_t needed, const std::string& what);

}  // namespace reelgrid::pipeline

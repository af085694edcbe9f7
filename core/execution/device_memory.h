#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>
#include <optional>

#include "core/execution/execution.h"

namespace reelgrid::execution {

/// What the device's allocator counts; nothing where libtorch's for that device counts nothing.
std::optional<c10::CachingDeviceAllocator::DeviceStats> allocatorStats(const Execution& execution);

/// Bytes that tensors could take there: what is free, and what the allocator keeps unused. Nothing where
/// libtorch doesn't say.
std::optional<std::uint64_t> freeOnDevice(const Execution& execution);

/// Counts the peak anew from now on. False where nothing is counted.
bool restartAllocatorPeak(const Execution& execution);

}  // namespace reelgrid::execution

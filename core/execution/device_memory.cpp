#include "core/execution/device_memory.h"

#include <algorithm>

namespace reelgrid::execution {
namespace {

c10::DeviceAllocator* allocatorOf(const Execution& execution) {
    return dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(execution.device.type()));
}

}  // namespace

std::optional<c10::CachingDeviceAllocator::DeviceStats> allocatorStats(const Execution& execution) {
    c10::DeviceAllocator* const allocator = allocatorOf(execution);
    if (allocator == nullptr) return std::nullopt;
    return allocator->getDeviceStats(execution.device.index());
}

std::optional<std::uint64_t> freeOnDevice(const Execution& execution) {
    c10::DeviceAllocator* const allocator = allocatorOf(execution);
    if (allocator == nullptr) return std::nullopt;
    try {
        constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
        const std::uint64_t free = allocator->getMemoryInfo(execution.device.index()).first;
        const auto stats = allocator->getDeviceStats(execution.device.index());
        const std::int64_t kept = stats.reserved_bytes[kAll].current - stats.allocated_bytes[kAll].current;
        return free + static_cast<std::uint64_t>(std::max<std::int64_t>(kept, 0));
    } catch (const c10::NotImplementedError&) {
        return std::nullopt;
    }
}

bool restartAllocatorPeak(const Execution& execution) {
    c10::DeviceAllocator* const allocator = allocatorOf(execution);
    if (allocator != nullptr) allocator->resetPeakStats(execution.device.index());
    return allocator != nullptr;
}

}  // namespace reelgrid::execution

#include "core/execution/memory_peak.h"

#include <fstream>
#include <string>

#include "core/execution/device_memory.h"

namespace reelgrid::execution {
namespace {

/// "VmRSS:", "RssAnon:", "VmHWM:" of this process.
std::optional<std::uint64_t> ownStatus(const std::string& wanted) {
    std::ifstream file("/proc/self/status");
    std::string key, rest;
    while (file >> key) {
        std::uint64_t kilobytes = 0;
        if (key == wanted && file >> kilobytes) return kilobytes * 1024;
        std::getline(file, rest);
    }
    return std::nullopt;
}

std::optional<c10::CachingAllocator::Stat> allocated(const Execution& execution) {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const auto stats = allocatorStats(execution);
    if (!stats) return std::nullopt;
    return stats->allocated_bytes[kAll];
}

}  // namespace

std::optional<std::uint64_t> memoryInUse(const Execution& execution) {
    if (execution.device.is_cpu()) return ownStatus("VmRSS:");
    const auto bytes = allocated(execution);
    return bytes ? std::optional(static_cast<std::uint64_t>(bytes->current)) : std::nullopt;
}

std::optional<std::uint64_t> ownMemory(const Execution& execution) {
    return execution.device.is_cpu() ? ownStatus("RssAnon:") : memoryInUse(execution);
}

bool restartMemoryPeak(const Execution& execution) {
    if (!execution.device.is_cpu()) return restartAllocatorPeak(execution);
    // Linux: writing 5 makes VmHWM what VmRSS is.
    std::ofstream file("/proc/self/clear_refs");
    file << 5 << std::flush;
    return file.good();
}

std::optional<std::uint64_t> memoryPeak(const Execution& execution) {
    if (execution.device.is_cpu()) return ownStatus("VmHWM:");
    const auto bytes = allocated(execution);
    return bytes ? std::optional(static_cast<std::uint64_t>(bytes->peak)) : std::nullopt;
}

}  // namespace reelgrid::execution

#include "core/execution/memory_peak.h"

#include <ATen/DeviceAccelerator.h>

#include <fstream>
#include <string>

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

auto allocated(const Execution& execution) {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return at::accelerator::getDeviceStats(execution.device.index()).allocated_bytes[kAll];
}

}  // namespace

std::optional<std::uint64_t> memoryInUse(const Execution& execution) {
    if (execution.device.is_cpu()) return ownStatus("VmRSS:");
    return static_cast<std::uint64_t>(allocated(execution).current);
}

std::optional<std::uint64_t> ownMemory(const Execution& execution) {
    return execution.device.is_cpu() ? ownStatus("RssAnon:") : memoryInUse(execution);
}

bool restartMemoryPeak(const Execution& execution) {
    if (!execution.device.is_cpu()) {
        at::accelerator::resetPeakStats(execution.device.index());
        return true;
    }
    // Linux: writing 5 makes VmHWM what VmRSS is.
    std::ofstream file("/proc/self/clear_refs");
    file << 5 << std::flush;
    return file.good();
}

std::optional<std::uint64_t> memoryPeak(const Execution& execution) {
    if (execution.device.is_cpu()) return ownStatus("VmHWM:");
    return static_cast<std::uint64_t>(allocated(execution).peak);
}

}  // namespace reelgrid::execution

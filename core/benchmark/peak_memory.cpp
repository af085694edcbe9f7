#include "core/benchmark/peak_memory.h"

#include <ATen/DeviceAccelerator.h>
#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace reelgrid::benchmark {
namespace {

/// "VmRSS:", "VmHWM:" of this process.
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

/// Linux: writing 5 makes VmHWM what VmRSS is.
bool restartResidentPeak() {
    std::ofstream file("/proc/self/clear_refs");
    file << 5 << std::flush;
    return file.good();
}

auto allocated(const execution::Execution& execution) {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return at::accelerator::getDeviceStats(execution.device.index()).allocated_bytes[kAll];
}

}  // namespace

PeakMemory::PeakMemory(const execution::Execution& execution) : m_execution(execution) {
    if (m_execution.device.is_cpu()) {
        malloc_trim(0);
        m_before = ownStatus("VmRSS:");
    } else {
        at::accelerator::emptyCache();
        m_before = static_cast<std::uint64_t>(allocated(m_execution).current);
    }
    restart();
}

void PeakMemory::restart() {
    if (m_execution.device.is_cpu()) {
        m_restarted = restartResidentPeak();
    } else {
        at::accelerator::resetPeakStats(m_execution.device.index());
        m_restarted = true;
    }
}

std::optional<std::uint64_t> PeakMemory::bytes() const {
    if (!m_restarted || !m_before) return std::nullopt;
    const auto peak = m_execution.device.is_cpu()
                          ? ownStatus("VmHWM:")
                          : std::optional(static_cast<std::uint64_t>(allocated(m_execution).peak));
    if (!peak) return std::nullopt;
    return *peak - std::min(*peak, *m_before);
}

}  // namespace reelgrid::benchmark

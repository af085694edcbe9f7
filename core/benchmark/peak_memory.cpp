#include "core/benchmark/peak_memory.h"

#include <ATen/DeviceAccelerator.h>

#include <algorithm>

#include "core/base/freed_memory.h"
#include "core/execution/memory_peak.h"

namespace reelgrid::benchmark {

PeakMemory::PeakMemory(const execution::Execution& execution) : m_execution(execution) {
    if (m_execution.device.is_cpu())
        giveBackFreedMemory();
    else
        at::accelerator::emptyCache();
    m_before = execution::memoryInUse(m_execution);
    restart();
}

void PeakMemory::restart() {
    m_restarted = execution::restartMemoryPeak(m_execution);
}

std::optional<std::uint64_t> PeakMemory::bytes() const {
    if (!m_restarted || !m_before) return std::nullopt;
    const auto peak = execution::memoryPeak(m_execution);
    if (!peak) return std::nullopt;
    return *peak - std::min(*peak, *m_before);
}

}  // namespace reelgrid::benchmark

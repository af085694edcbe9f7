#include "core/execution/memory_check.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/base/number_text.h"
#include "core/base/result.h"
#include "core/execution/device_memory.h"

namespace reelgrid::execution {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t numberIn(const char* path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    return file >> number ? number : kUnknown;  // a limit of "max" is no number
}

std::uint64_t machineAvailable() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kilobytes = 0;
    std::string unit;
    while (file >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(file, unit);
    }
    return kUnknown;
}

std::uint64_t groupAvailable() {
    const std::uint64_t limit = numberIn("/sys/fs/cgroup/memory.max");
    const std::uint64_t used = numberIn("/sys/fs/cgroup/memory.current");
    if (limit == kUnknown || used == kUnknown) return kUnknown;
    return limit > used ? limit - used : 0;
}

std::string gigabytes(std::uint64_t bytes) {
    return fixed(static_cast<double>(bytes) * 1e-9, 1) + " GB";
}

}  // namespace

std::uint64_t availableMemory(const Execution& execution) {
    if (!execution.device.is_cpu()) return freeOnDevice(execution).value_or(kUnknown);
    return std::min(machineAvailable(), groupAvailable());
}

void requireMemory(const Execution& execution, std::uint64_t needed, std::uint64_t own,
                   const std::string& what, const std::string& ways) {
    const std::uint64_t free = availableMemory(execution);
    const std::uint64_t available = free > kUnknown - own ? kUnknown : free + own;
    if (needed > available)
        throw Failure(ErrorCode::OutOfMemory, what + " needs about " + gigabytes(needed) + " of memory, " +
                                                  gigabytes(available) + " are free on " +
                                                  execution.device.str() + "; less is taken by " + ways);
}

}  // namespace reelgrid::execution

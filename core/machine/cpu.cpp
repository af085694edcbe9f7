#include "core/machine/cpu.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

namespace reelgrid::machine {
namespace {

/// The first value of `key` in a file of "key: value" lines.
std::string valueOf(const char* file, const std::string& key) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
        const auto start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string::npos ? "" : line.substr(start);
    }
    return {};
}

std::uint64_t memoryBytes(const std::string& key) {
    std::istringstream value(valueOf("/proc/meminfo", key));
    std::uint64_t kibibytes = 0;
    value >> kibibytes;
    return kibibytes * 1024;
}

std::vector<std::string> cpuFeatures() {
    std::vector<std::string> features;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const auto note = [&](const char* name, int present) {
        if (present != 0) features.emplace_back(name);
    };
    note("avx2", __builtin_cpu_supports("avx2"));
    note("fma", __builtin_cpu_supports("fma"));
    note("avx512f", __builtin_cpu_supports("avx512f"));
    note("avx512bw", __builtin_cpu_supports("avx512bw"));
    note("avx512vl", __builtin_cpu_supports("avx512vl"));
    note("avx512vnni", __builtin_cpu_supports("avx512vnni"));
    note("avx512bf16", __builtin_cpu_supports("avx512bf16"));
    // The compiler has no name for AMX at run time; the kernel lists it.
    std::istringstream flags(valueOf("/proc/cpuinfo", "flags"));
    for (std::string flag; flags >> flag;)
        if (flag == "amx_bf16" || flag == "amx_int8" || flag == "avx_vnni") features.push_back(flag);
#endif
    return features;
}

}  // namespace

bool Cpu::has(std::string_view feature) const {
    return std::ranges::find(features, feature) != features.end();
}

Cpu inspectCpu() {
    return {.name = valueOf("/proc/cpuinfo", "model name"),
            .features = cpuFeatures(),
            .threads = std::thread::hardware_concurrency(),
            .memoryBytes = memoryBytes("MemTotal"),
            .availableBytes = memoryBytes("MemAvailable")};
}

}  // namespace reelgrid::machine

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::machine {

/// A machine's processor and main memory.
struct Cpu {
    std::string name;
    std::vector<std::string> features;  ///< those that the kernels look for, as /proc/cpuinfo spells them
    unsigned threads = 0;
    std::uint64_t memoryBytes = 0;
    std::uint64_t availableBytes = 0;  ///< of the memory, when it was looked at

    [[nodiscard]] bool has(std::string_view feature) const;
    bool operator==(const Cpu&) const = default;
};

/// The one that this process runs on, looked at now.
Cpu inspectCpu();

}  // namespace reelgrid::machine

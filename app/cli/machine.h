#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelgrid::cli {

/// What this machine is, as `doctor` tells it.
struct Machine {
    std::string cpuName;
    std::vector<std::string> cpuFeatures;  ///< those that the kernels look for
    unsigned threads = 0;
    std::uint64_t memoryBytes = 0;
    std::uint64_t availableMemoryBytes = 0;
};

Machine inspectMachine();

}  // namespace reelgrid::cli

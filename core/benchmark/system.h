#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reelgrid::benchmark {

/// The machine that something was measured on.
struct System {
    std::string kernel;        ///< "Linux 6.1.0"
    std::string distribution;  ///< "Debian GNU/Linux 12 (bookworm)"
    std::string cpuName;
    std::string instructionSet;  ///< that our CPU kernels run on
    int threads = 0;
    std::uint64_t memoryBytes = 0;
    std::string device;                           ///< "cpu", "cuda:0"
    std::string deviceName;                       ///< of a GPU
    std::uint64_t deviceBytes = 0;                ///< of a GPU: its memory
    std::map<std::string, std::string> versions;  ///< "reelgrid", "libtorch"; of a GPU "cuda", "cudnn", …
};
nlohmann::json toJson(const System& system);

}  // namespace reelgrid::benchmark

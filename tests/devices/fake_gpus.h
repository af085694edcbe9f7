#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

/// What the fake driver and the fake NVML say, by environment variables of their own:
///   FAKE_GPUS          "name,capability major,minor,bytes,free bytes;…"
///   FAKE_CUDA_INIT     what cuInit returns; absent: success
///   FAKE_CUDA_VERSION  "12040" for CUDA 12.4; absent: 13000
///   FAKE_NVML_DRIVER   the driver's version; absent: NVML does not start
namespace fake {

struct Gpu {
    std::string name;
    int major = 0;
    int minor = 0;
    unsigned long long bytes = 0;
    unsigned long long freeBytes = 0;
};

inline std::string said(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
}

inline std::vector<Gpu> gpus() {
    std::vector<Gpu> all;
    std::istringstream list(said("FAKE_GPUS"));
    for (std::string entry; std::getline(list, entry, ';');) {
        Gpu& gpu = all.emplace_back();
        char comma = 0;
        std::istringstream fields(entry);
        std::getline(fields, gpu.name, ',');
        fields >> gpu.major >> comma >> gpu.minor >> comma >> gpu.bytes >> comma >> gpu.freeBytes;
    }
    return all;
}

/// By which NVML finds what the driver numbers.
inline std::string busId(std::size_t index) {
    return "0000:0" + std::to_string(index) + ":00.0";
}

/// As the drivers' functions give text.
inline void put(const std::string& text, char* buffer, unsigned size) {
    buffer[text.copy(buffer, size - 1)] = '\0';
}

}  // namespace fake

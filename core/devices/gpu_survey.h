#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelgrid::devices {

struct ComputeCapability {
    int major = 0;
    int minor = 0;

    auto operator<=>(const ComputeCapability&) const = default;
    [[nodiscard]] std::string text() const;  ///< "9.0"
};

/// What the kernels are built for, and what the CUDA runtime of this build asks of a driver.
inline constexpr ComputeCapability kLeastCapability{7, 5};
inline constexpr int kLeastDriverCuda = 13000;

struct Gpu {
    int index = 0;
    std::string name;
    ComputeCapability capability;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> freeBytes;  ///< where NVML tells

    /// Why no render runs on it; nothing when one can.
    [[nodiscard]] std::optional<std::string> obstacle() const;
};

/// What the NVIDIA driver says of a machine, without starting anything on a GPU.
struct GpuSurvey {
    std::vector<Gpu> gpus;
    std::string driver;    ///< "580.159.04"; empty where unknown
    int driverCuda = 0;    ///< the newest CUDA that the driver runs, 1000 major + 10 minor
    std::string obstacle;  ///< why the driver lets no GPU at all be used; empty when one may be
    /// Why the build there can't use a GPU: its CUDA half is missing (cuda_half.h); empty when it can.
    std::string buildObstacle;
};

/// Of this machine, now. Asks libcuda.so.1 (another file where REELGRID_CUDA_DRIVER names one).
GpuSurvey surveyGpus();

}  // namespace reelgrid::devices

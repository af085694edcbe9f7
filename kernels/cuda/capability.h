#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <string_view>

namespace reelgrid::kernels::cuda::device {

/// Of the current device.
struct Capability {
    int major = 0, minor = 0;

    [[nodiscard]] bool isHopper() const { return major == 9 && minor == 0; }
    /// Whether to use what only Hopper has, where there is another kernel, too.
    [[nodiscard]] bool prefersHopper() const {
        return isHopper() && askedFor() != "mma" && askedFor() != "ampere";
    }
    /// Whether mma multiplies e4m3: from Ada on.
    [[nodiscard]] bool hasE4m3() const {
        return (major > 8 || (major == 8 && minor >= 9)) && askedFor() != "ampere";
    }
    /// Datacentre Blackwell, which has tensor memory and products that sum there.
    [[nodiscard]] bool hasTcgen05() const { return major == 10 && (minor == 0 || minor == 3); }
    /// Only where it is asked for: what uses it was never run.
    [[nodiscard]] bool usesTcgen05() const { return hasTcgen05() && askedFor() == "tcgen05"; }
    /// Newer ones only to test what Turing runs.
    [[nodiscard]] bool isTreatedAsTuring() const { return major < 8 || askedFor() == "turing"; }

  private:
    static std::string_view askedFor() {
        const char* const kernels = std::getenv("REELGRID_GPU_KERNELS");
        return kernels == nullptr ? std::string_view() : std::string_view(kernels);
    }
};

inline Capability capability() {
    int device = 0;
    Capability found;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&found.major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&found.minor, cudaDevAttrComputeCapabilityMinor, device);
    return found;
}

}  // namespace reelgrid::kernels::cuda::device

#pragma once

#include <cstdlib>
#include <string_view>

namespace reelgrid::kernels::cuda {

/// The variable that lets kernels run whose results haven't been held to float64 on a GPU yet.
inline constexpr const char* kUncheckedVariable = "REELGRID_UNCHECKED_KERNELS";

/// Whether they run; otherwise what stands in for each is used, and said where it is a backend.
inline bool runsUncheckedKernels() {
    const char* const value = std::getenv(kUncheckedVariable);
    return value != nullptr && std::string_view(value) == "1";
}

}  // namespace reelgrid::kernels::cuda

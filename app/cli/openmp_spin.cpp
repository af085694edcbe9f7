#include "app/cli/openmp_spin.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace reelgrid::cli {
namespace {

constexpr const char* kSpinCount = "GOMP_SPINCOUNT";
/// About 10 µs: longer than a hand-over between two loops, shorter than a time slice by far.
constexpr const char* kShort = "10000";

}  // namespace

void limitOpenMpSpinning(char** argv) {
    if (std::getenv(kSpinCount) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed || ::setenv(kSpinCount, kShort, 0) != 0) return;
    ::execv(self.c_str(), argv);
}

}  // namespace reelgrid::cli

#pragma once

#include <cstddef>
#include <string>

namespace reelgrid::cli {

/// What the process that runs the cases of `backends check` is asked for.
struct CheckServing {
    std::size_t firstCase = 0;
    std::string backend;
    double maxL1 = 0;
    std::string device, shape;
};

/// Runs the cases from the first one on, then times the kernel; each outcome is a line of JSON on stdout. The
/// kernel may end the process. Returns the exit code.
int serveChecks(const CheckServing& asked);

}  // namespace reelgrid::cli

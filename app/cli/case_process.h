#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::cli {

/// How a process that works through cases came to its end.
struct ProcessEnd {
    enum class Reason { Finished, Died, TookTooLong, Interrupted } reason = Reason::Finished;
    std::string words;  ///< for a person, with the last of what it wrote to stderr; empty for Finished
};

/// Runs this program again with other arguments and hands on each line of its stdout. A process that says
/// nothing for `patience` is asked what it was in, and ended. `environment`: "NAME=VALUE", which it has in
/// place of this process's. Error when it can't be started.
Result<ProcessEnd> runCases(const std::vector<std::string>& arguments, std::chrono::milliseconds patience,
                            const std::function<void(const std::string& line)>& onLine,
                            const std::stop_token& stop, const std::vector<std::string>& environment = {});

}  // namespace reelgrid::cli

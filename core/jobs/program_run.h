#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/jobs/line_process.h"

namespace reelgrid::jobs {

/// Runs a program to its end without a shell and hands on each line of its stdout, from a thread of its own.
/// NotFound when it can't be started; Internal with what it wrote to stderr when it fails, or with what
/// `line` says; Cancelled, once it was killed, when a stop was asked for; Internal, once it was killed, when
/// it took longer than `patience`, if any is given.
Result<void> runProgram(const ProcessCommandLine& command,
                        std::function<Result<void>(const std::string&)> line,
                        const std::stop_token& stop = {},
                        std::optional<std::chrono::seconds> patience = std::nullopt);

/// All that it prints, of at most `mostBytes`.
Result<std::string> outputOf(const ProcessCommandLine& command, std::size_t mostBytes,
                             const std::stop_token& stop = {},
                             std::optional<std::chrono::seconds> patience = std::nullopt);

}  // namespace reelgrid::jobs

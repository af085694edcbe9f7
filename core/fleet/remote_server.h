#pragma once

#include <filesystem>
#include <stop_token>

#include "core/base/result.h"

namespace reelgrid::fleet {

/// Serves another machine over two streams: files come with the jobs, an ordinary worker (`program`, a child)
/// renders in a folder of the connection's own, results go back with their hashes. The folder goes with the
/// connection, and the worker at once; what a killed process left is removed by the next one. Returns at the
/// input's end, when told to quit, or interrupted (Cancelled); fails where what comes is not the protocol.
Result<void> serveRemote(int input, int output, const std::filesystem::path& program,
                         const std::stop_token& interrupted);

}  // namespace reelgrid::fleet

#pragma once

#include <stop_token>

#include "core/base/result.h"
#include "core/pipeline/renderer.h"

namespace reelgrid::cli {

/// Serves the worker protocol: reads command lines from `input` on its own thread, renders one job after
/// another on the calling thread, and writes event lines to `output`. Returns when `quit` or the end of the
/// input comes; a job that runs then is cancelled. So does an interruption (Cancelled), a line that is too
/// long (InvalidData), and an `output` that stays full after the end (Io).
Result<void> serveJobs(int input, int output, pipeline::Renderer& renderer,
                       const std::stop_token& interrupted);

}  // namespace reelgrid::cli

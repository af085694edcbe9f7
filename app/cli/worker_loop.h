#pragma once

#include <functional>
#include <string>

#include "core/pipeline/renderer.h"

namespace reelgrid::cli {

/// Serves the worker protocol: reads command lines from `input` on its own thread, renders one job after
/// another on the calling thread, and writes event lines to `output`. Returns when `quit` or the end of the
/// input comes; a job that runs then is cancelled.
void serveJobs(int input, int output, pipeline::Renderer& renderer);

}  // namespace reelgrid::cli

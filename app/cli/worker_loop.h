#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/protocol/render_forecast.h"
#include "core/protocol/render_preview.h"
#include "core/protocol/render_progress.h"
#include "core/protocol/render_request.h"

namespace reelgrid::cli {

/// Renders one job (pipeline::Renderer::render()): the clip's file, or why there is none.
using RenderJob =
    std::function<Result<std::string>(const protocol::RenderRequest&, const protocol::ProgressCallback&,
                                      const protocol::PreviewCallback&, std::stop_token)>;

/// What a request would take (pipeline::forecastRender()); called on a thread of its own, beside renders.
using ForecastJob = std::function<Result<protocol::RenderForecast>(const protocol::RenderRequest&)>;

/// Serves the worker protocol: reads command lines from `input` on its own thread, renders one job after
/// another on the calling thread, answers forecasts on a third, and writes event lines to `output`. Returns
/// when `quit` or the end of the input comes; a job that runs then is cancelled. So does an interruption
/// (Cancelled), a line that is too long (InvalidData), and an `output` that stays full after the end (Io). A
/// job whose GPU failed (DeviceLost) is the last.
Result<void> serveJobs(int input, int output, RenderJob render, ForecastJob forecast,
                       const std::stop_token& interrupted);

}  // namespace reelgrid::cli

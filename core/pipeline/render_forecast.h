#pragma once

#include "core/machine/machine.h"
#include "core/protocol/render_forecast.h"
#include "core/protocol/render_request.h"

namespace reelgrid::pipeline {

/// What a render of this request would take in this process, which runs on `machine`, in the place of
/// whatever it holds now. Reads configurations, headers of weights and of pictures alone; starts nothing on a
/// GPU. May run beside a render. Errors as of Renderer::render(), for what can be wrong with the request
/// itself.
Result<protocol::RenderForecast> forecastRender(const protocol::RenderRequest& request,
                                                const machine::Machine& machine);

}  // namespace reelgrid::pipeline

#pragma once

#include <QString>
#include <string>

#include "core/base/result.h"
#include "core/protocol/render_forecast.h"
#include "core/protocol/render_request.h"

namespace reelgrid::studio {

/// All of a request that its forecast depends on, as one line of text.
std::string forecastKey(const protocol::RenderRequest& request);

/// "Memory: about 1.2 GB at most, 8.3 GB free", with what takes less where it doesn't fit; why there is none
/// where there is none, or what keeps the render from being made; empty where the family predicts none.
QString forecastText(const Result<protocol::RenderForecast>& forecast);

/// Whether it is to be warned of.
[[nodiscard]] inline bool isTooMuch(const Result<protocol::RenderForecast>& forecast) {
    return !forecast || !forecast->fits();
}

}  // namespace reelgrid::studio

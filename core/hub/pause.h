#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "core/hub/http.h"

namespace reelgrid::hub {

/// Waits; false when `stop` came first.
bool pauseFor(std::chrono::milliseconds time, const std::stop_token& stop);

/// How long to wait before another try: `pause`, or what the server asks for where that is longer; nothing
/// when it asks for more than anybody waits for (5 minutes).
std::optional<std::chrono::milliseconds> pauseAfter(const HttpAnswer& answer,
                                                    std::chrono::milliseconds pause);

}  // namespace reelgrid::hub

#pragma once

#include <chrono>
#include <stop_token>

namespace reelgrid::hub {

/// Waits; false when `stop` came first.
bool pauseFor(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace reelgrid::hub

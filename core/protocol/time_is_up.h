#pragma once

#include <csignal>

namespace reelgrid::protocol {

/// Sent to a worker whose job took too long: it says on stderr what it was in, where that is known, and ends.
inline constexpr int kTimeIsUpSignal = SIGUSR2;

}  // namespace reelgrid::protocol

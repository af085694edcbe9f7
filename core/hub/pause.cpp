#include "core/hub/pause.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace reelgrid::hub {

bool pauseFor(std::chrono::milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

std::optional<std::chrono::milliseconds> pauseAfter(const HttpAnswer& answer,
                                                    std::chrono::milliseconds pause) {
    constexpr std::chrono::minutes kLongest{5};
    if (!answer.retryAfter) return pause;
    if (*answer.retryAfter > kLongest) return std::nullopt;
    return std::max<std::chrono::milliseconds>(pause, *answer.retryAfter);
}

}  // namespace reelgrid::hub

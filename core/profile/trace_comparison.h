#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/summary.h"

namespace reelgrid::profile {

/// Self times of one group or name in two traces, in ns; of what one of them lacks, 0 calls.
struct Change {
    std::string name;
    bool onDevice = false;
    Spent before, after;
    std::uint64_t leftOutBefore = 0, leftOutAfter = 0;  ///< events that don't count (Summary::leftOut)

    /// Whether one side ran, but nothing of it counts: what changed isn't known.
    [[nodiscard]] bool isUnknown() const {
        return (before.calls == 0 && leftOutBefore > 0) || (after.calls == 0 && leftOutAfter > 0);
    }
};

/// What of a trace doesn't count, or not wholly; the devices' time, in ns; whether the decode is in it.
struct TraceFacts {
    std::int64_t device = 0;
    std::uint64_t leftOut = 0, cutShort = 0;
    std::int64_t cutOff = 0;
    std::optional<bool> decode;  ///< absent: no range names a stage, nobody knows
};

/// Two traces side by side. What is compared is the devices' time where both have any, else the threads'.
struct TraceComparison {
    bool ofDevices = false;
    TraceFacts factsBefore, factsAfter;
    std::vector<Change> groups, names;  ///< what changed most first
    std::int64_t before = 0, after = 0;
    std::size_t stepsBefore = 0, stepsAfter = 0;  ///< that ranges name

    /// Whether one trace is known to have the decode and the other to lack it.
    [[nodiscard]] bool decodeDiffers() const {
        const auto &one = factsBefore.decode, &other = factsAfter.decode;
        return one && other && *one != *other;
    }
    [[nodiscard]] std::int64_t timeOf(const Spent& spent) const {
        return ofDevices ? spent.device : spent.host;
    }
    [[nodiscard]] std::int64_t difference(const Change& change) const {
        return timeOf(change.after) - timeOf(change.before);
    }
};

TraceComparison compared(const Summary& before, const Summary& after);

}  // namespace reelgrid::profile

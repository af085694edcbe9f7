#pragma once

#include <string>
#include <vector>

#include "core/profile/summary.h"

namespace reelgrid::profile {

/// Self times of one group or name in two traces, in ns; of what one of them lacks, 0 calls.
struct Change {
    std::string name;
    bool onDevice = false;
    Spent before, after;
};

/// Two traces side by side. What is compared is the devices' time where either has any, else the threads'.
struct TraceComparison {
    bool ofDevices = false;
    std::vector<Change> groups, names;  ///< what changed most first
    std::int64_t before = 0, after = 0;
    std::size_t stepsBefore = 0, stepsAfter = 0;  ///< that ranges name

    [[nodiscard]] std::int64_t timeOf(const Spent& spent) const {
        return ofDevices ? spent.device : spent.host;
    }
    [[nodiscard]] std::int64_t difference(const Change& change) const {
        return timeOf(change.after) - timeOf(change.before);
    }
};

TraceComparison compared(const Summary& before, const Summary& after);

}  // namespace reelgrid::profile

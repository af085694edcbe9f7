#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/summary.h"

namespace reelgrid::profile {

/// Something that takes much of the recorded time, why we say so, and what may make it less.
struct Bottleneck {
    std::string what;        ///< a group's name, "host waits", "idle device", "outside operators"
    std::int64_t time = 0;   ///< ns
    std::int64_t whole = 0;  ///< what it is a part of, ns
    std::string evidence;
    std::string advice;
};

/// The largest first. Never empty for a trace that took time: what takes most is there, however small.
std::vector<Bottleneck> bottlenecksOf(const Summary& summary);

}  // namespace reelgrid::profile

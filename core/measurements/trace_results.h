#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::measurements {

/// What an operator, kernel or group of them took, in seconds.
struct TraceTime {
    std::string name, group;
    bool onDevice = false;
    double calls = 0;
    double selfCpu = 0, totalCpu = 0;
    std::optional<double> selfDevice, totalDevice;  ///< absent: no device was used
};

struct TraceAdvice {
    std::string what, evidence, advice;
    double seconds = 0, ofSeconds = 0;
};

/// What `profile` says of a trace.
struct TraceSummary {
    double events = 0, span = 0, selfCpu = 0;
    double leftOut = 0;   ///< events that don't count
    double cutShort = 0;  ///< events that count to the end of what they are in
    std::optional<double> device, deviceBusy;
    std::vector<TraceTime> groups, stages, steps, names;
    std::vector<TraceAdvice> bottlenecks;
};
Result<TraceSummary> traceSummaryFrom(const nlohmann::json& document);

struct TraceChange {
    std::string name;
    bool onDevice = false;
    std::optional<double> before, after;         ///< absent: it did not run, or all of it was left out
    std::optional<double> difference;            ///< absent: unknown, since all of one side was left out
    double leftOutBefore = 0, leftOutAfter = 0;  ///< events
    double callsBefore = 0, callsAfter = 0;
};

/// What `profile` says of two.
struct TraceComparison {
    std::string of;  ///< "cpu", "device"
    double before = 0, after = 0;
    int stepsBefore = 0, stepsAfter = 0;
    std::optional<bool> decodeBefore, decodeAfter;    ///< absent: unknown, or the file doesn't tell
    double leftOutBefore = 0, leftOutAfter = 0;       ///< events
    double cutShortBefore = 0, cutShortAfter = 0;     ///< events
    std::optional<double> deviceBefore, deviceAfter;  ///< absent: it has none, or the file doesn't tell
    std::vector<TraceChange> groups, names;
};
Result<TraceComparison> traceComparisonFrom(const nlohmann::json& document);

}  // namespace reelgrid::measurements

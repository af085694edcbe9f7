#include "core/measurements/trace_results.h"

#include "core/measurements/list_reader.h"

namespace reelgrid::measurements {
namespace {

using nlohmann::json;
using protocol::FieldReader;

void readName(FieldReader& fields, TraceTime& row) {
    fields.requireText("name", row.name);
    fields.text("group", row.group);
    fields.boolean("on_device", row.onDevice);
    fields.requireNumber("calls", row.calls, 0);
    fields.requireNumber("self_cpu", row.selfCpu, 0);
    fields.requireNumber("total_cpu", row.totalCpu, 0);
    fields.number("self_device", row.selfDevice, 0);
    fields.number("total_device", row.totalDevice, 0);
}

/// A stage or a step.
void readPlace(FieldReader& fields, TraceTime& row) {
    fields.requireText("name", row.name);
    fields.requireNumber("calls", row.calls, 0);
    fields.requireNumber("cpu", row.totalCpu, 0);
}

void readAdvice(FieldReader& fields, TraceAdvice& row) {
    fields.requireText("what", row.what);
    fields.text("evidence", row.evidence);
    fields.text("advice", row.advice);
    fields.requireNumber("seconds", row.seconds, 0);
    fields.requireNumber("of_seconds", row.ofSeconds, 0);
}

void readChange(FieldReader& fields, TraceChange& row) {
    fields.requireText("name", row.name);
    fields.boolean("on_device", row.onDevice);
    fields.number("before", row.before, 0);
    fields.number("after", row.after, 0);
    fields.number("difference", row.difference);
    fields.number("left_out_before", row.leftOutBefore, 0);
    fields.number("left_out_after", row.leftOutAfter, 0);
    fields.requireNumber("calls_before", row.callsBefore, 0);
    fields.requireNumber("calls_after", row.callsAfter, 0);
}

Result<std::vector<TraceTime>> groupsFrom(const json& object) {
    constexpr std::size_t kMostGroups = 64;
    std::vector<TraceTime> groups;
    for (const auto& [name, spent] : object.items()) {
        if (!spent.is_object() || groups.size() == kMostGroups)
            return Error{ErrorCode::InvalidData, "groups: at most 64 objects were needed"};
        FieldReader fields(spent, "group " + name, ErrorCode::InvalidData);
        TraceTime group;
        group.name = name;
        fields.requireNumber("self_cpu", group.selfCpu, 0);
        fields.requireNumber("calls", group.calls, 0);
        fields.number("device", group.selfDevice, 0);
        if (auto read = fields.finish(); !read) return read.error();
        groups.push_back(std::move(group));
    }
    return groups;
}

/// Moves what was read into `target`; keeps the first error.
template <class T>
void take(Result<T> read, T& target, Result<void>& outcome) {
    if (!read) {
        if (outcome) outcome = read.error().in("trace");
        return;
    }
    target = *std::move(read);
}

}  // namespace

Result<TraceSummary> traceSummaryFrom(const json& document) {
    TraceSummary summary;
    FieldReader fields(document, "trace", ErrorCode::InvalidData);
    fields.requireNumber("events", summary.events, 0);
    fields.requireNumber("span", summary.span, 0);
    fields.requireNumber("self_cpu", summary.selfCpu, 0);
    fields.number("left_out", summary.leftOut, 0);
    fields.number("cut_short", summary.cutShort, 0);
    fields.number("device", summary.device, 0);
    fields.number("device_busy", summary.deviceBusy, 0);
    const json* groups = fields.object("groups", true);
    const json* stages = fields.array("stages", kMostRows, true);
    const json* steps = fields.array("steps", kMostRows, true);
    const json* names = fields.array("names", kMostRows, true);
    const json* advice = fields.array("bottlenecks", kMostRows, true);
    if (auto read = fields.finish(); !read) return read.error();
    Result<void> outcome;
    take(groupsFrom(*groups), summary.groups, outcome);
    take(rowsFrom<TraceTime>(*stages, "stage", readPlace), summary.stages, outcome);
    take(rowsFrom<TraceTime>(*steps, "step", readPlace), summary.steps, outcome);
    take(rowsFrom<TraceTime>(*names, "name", readName), summary.names, outcome);
    take(rowsFrom<TraceAdvice>(*advice, "bottleneck", readAdvice), summary.bottlenecks, outcome);
    if (!outcome) return outcome.error();
    return summary;
}

Result<TraceComparison> traceComparisonFrom(const json& document) {
    TraceComparison comparison;
    FieldReader fields(document, "trace comparison", ErrorCode::InvalidData);
    fields.text("of", comparison.of);
    fields.requireNumber("before", comparison.before, 0);
    fields.requireNumber("after", comparison.after, 0);
    fields.integer("steps_before", comparison.stepsBefore, 0);
    fields.integer("steps_after", comparison.stepsAfter, 0);
    if (document.contains("decode_before"))
        fields.boolean("decode_before", comparison.decodeBefore.emplace());
    if (document.contains("decode_after")) fields.boolean("decode_after", comparison.decodeAfter.emplace());
    fields.number("left_out_before", comparison.leftOutBefore, 0);
    fields.number("left_out_after", comparison.leftOutAfter, 0);
    fields.number("cut_short_before", comparison.cutShortBefore, 0);
    fields.number("cut_short_after", comparison.cutShortAfter, 0);
    fields.number("device_before", comparison.deviceBefore, 0);
    fields.number("device_after", comparison.deviceAfter, 0);
    const json* groups = fields.array("groups", kMostRows, true);
    const json* names = fields.array("names", kMostRows, true);
    if (auto read = fields.finish(); !read) return read.error();
    Result<void> outcome;
    take(rowsFrom<TraceChange>(*groups, "group", readChange), comparison.groups, outcome);
    take(rowsFrom<TraceChange>(*names, "name", readChange), comparison.names, outcome);
    if (!outcome) return outcome.error();
    return comparison;
}

}  // namespace reelgrid::measurements

#include "core/profile/summary_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/profile/advice.h"

namespace reelgrid::profile {
namespace {

using nlohmann::json;

double seconds(std::int64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-9;
}

/// A device's times only where there was one.
json spentJson(const Spent& spent, bool withDevice) {
    json object = {{"self_cpu", seconds(spent.host)}, {"calls", spent.calls}};
    if (withDevice) object["device"] = seconds(spent.device);
    return object;
}

json groupsJson(const std::array<Spent, kGroupCount>& groups, bool withDevice) {
    json object = json::object();
    for (const GroupInfo& info : kGroups) {
        const Spent& spent = groups[static_cast<std::size_t>(info.group)];
        if (spent.calls > 0) object[info.name] = spentJson(spent, withDevice);
    }
    return object;
}

json placesJson(const Summary& summary, PlaceKind kind) {
    json list = json::array();
    for (const Place* place : summary.placesOf(kind))
        list.push_back({{"name", place->name},
                        {"calls", place->calls},
                        {"cpu", seconds(place->host)},
                        {"groups", groupsJson(place->groups, summary.hasDevice())}});
    return list;
}

json rowJson(const Row& row, bool withDevice) {
    json object = {
        {"name", row.name},   {"on_device", row.onDevice},         {"group", nameOf(row.group)},
        {"calls", row.calls}, {"self_cpu", seconds(row.selfHost)}, {"total_cpu", seconds(row.totalHost)}};
    if (withDevice) {
        object["self_device"] = seconds(row.selfDevice);
        object["total_device"] = seconds(row.totalDevice);
    }
    if (!row.stack.empty()) object["stack"] = row.stack;
    for (const auto& [shape, spent] : row.shapes) {
        json entry = spentJson(spent, withDevice);
        entry["inputs"] = shape;
        object["shapes"].push_back(std::move(entry));
    }
    return object;
}

json changesJson(const TraceComparison& comparison, const std::vector<Change>& changes, std::size_t top) {
    json list = json::array();
    for (std::size_t i = 0; i < std::min(top, changes.size()); ++i) {
        const Change& change = changes[i];
        json object = {{"name", change.name},
                       {"on_device", change.onDevice},
                       {"calls_before", change.before.calls},
                       {"calls_after", change.after.calls}};
        if (!change.isUnknown()) object["difference"] = seconds(comparison.difference(change));
        if (change.leftOutBefore > 0) object["left_out_before"] = change.leftOutBefore;
        if (change.leftOutAfter > 0) object["left_out_after"] = change.leftOutAfter;
        if (change.before.calls > 0) object["before"] = seconds(comparison.timeOf(change.before));
        if (change.after.calls > 0) object["after"] = seconds(comparison.timeOf(change.after));
        list.push_back(std::move(object));
    }
    return list;
}

}  // namespace

json toJson(const Summary& summary, std::size_t top) {
    json rows = json::array(), bottlenecks = json::array();
    for (std::size_t i = 0; i < std::min(top, summary.rows.size()); ++i)
        rows.push_back(rowJson(summary.rows[i], summary.hasDevice()));
    for (const Bottleneck& each : bottlenecksOf(summary))
        bottlenecks.push_back({{"what", each.what},
                               {"seconds", seconds(each.time)},
                               {"of_seconds", seconds(each.whole)},
                               {"evidence", each.evidence},
                               {"advice", each.advice}});
    json object = {{"events", summary.events},
                   {"left_out", summary.impossible},
                   {"cut_short", summary.cutShort},
                   {"span", seconds(summary.span)},
                   {"self_cpu", seconds(summary.host)},
                   {"groups", groupsJson(summary.groups, summary.hasDevice())},
                   {"stages", placesJson(summary, PlaceKind::Stage)},
                   {"steps", placesJson(summary, PlaceKind::Step)},
                   {"layers", placesJson(summary, PlaceKind::Layer)},
                   {"names", std::move(rows)},
                   {"bottlenecks", std::move(bottlenecks)}};
    if (summary.hasDevice()) {
        object["device"] = seconds(summary.device);
        object["device_busy"] = seconds(summary.deviceBusy);
        object["device_span"] = seconds(summary.deviceSpan);
    }
    return object;
}

json toJson(const TraceComparison& comparison, std::size_t top) {
    json object = {{"of", comparison.ofDevices ? "device" : "cpu"},
                   {"before", seconds(comparison.before)},
                   {"after", seconds(comparison.after)},
                   {"steps_before", comparison.stepsBefore},
                   {"steps_after", comparison.stepsAfter},
                   {"groups", changesJson(comparison, comparison.groups, comparison.groups.size())},
                   {"names", changesJson(comparison, comparison.names, top)}};
    for (const auto& [side, facts] :
         {std::pair("before", &comparison.factsBefore), std::pair("after", &comparison.factsAfter)}) {
        const std::string end = std::string("_") + side;
        object["left_out" + end] = facts->leftOut;
        object["cut_short" + end] = facts->cutShort;
        if (facts->device > 0) object["device" + end] = seconds(facts->device);
        if (facts->decode) object["decode" + end] = *facts->decode;
    }
    return object;
}

}  // namespace reelgrid::profile

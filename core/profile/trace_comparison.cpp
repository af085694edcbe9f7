#include "core/profile/trace_comparison.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

namespace reelgrid::profile {
namespace {

using Changes = std::map<std::pair<std::string, bool>, Change>;

void addRows(const Summary& summary, Spent Change::*side, std::uint64_t Change::*leftOut, Changes& changes) {
    for (const Row& row : summary.rows) {
        Change& change = changes[{row.name, row.onDevice}];
        change.name = row.name;
        change.onDevice = row.onDevice;
        Spent& spent = change.*side;
        spent.host += row.selfHost;
        // An operator's share of the device is its kernels', which have rows of their own.
        if (row.onDevice) spent.device += row.selfDevice;
        spent.calls += row.calls;
    }
    for (const LeftOut& each : summary.leftOut) {
        Change& change = changes[{each.name, each.onDevice}];
        change.name = each.name;
        change.onDevice = each.onDevice;
        change.*leftOut += each.events;
    }
}

std::optional<bool> hasDecode(const Summary& summary) {
    const auto stages = summary.placesOf(PlaceKind::Stage);
    if (stages.empty()) return std::nullopt;
    return std::ranges::any_of(stages, [](const Place* stage) { return stage->name == "decode"; });
}

TraceFacts factsOf(const Summary& summary) {
    return {summary.device, summary.impossible, summary.cutShort, summary.cutOff, hasDecode(summary)};
}

/// Events of a group that were left out, of the side that is compared.
std::uint64_t leftOutOf(const Summary& summary, Group group, bool onDevice) {
    std::uint64_t events = 0;
    for (const LeftOut& each : summary.leftOut)
        if (each.group == group && each.onDevice == onDevice) events += each.events;
    return events;
}

}  // namespace

TraceComparison compared(const Summary& before, const Summary& after) {
    TraceComparison comparison;
    comparison.ofDevices = before.hasDevice() && after.hasDevice();
    comparison.factsBefore = factsOf(before);
    comparison.factsAfter = factsOf(after);
    comparison.before = comparison.ofDevices ? before.device : before.host;
    comparison.after = comparison.ofDevices ? after.device : after.host;
    comparison.stepsBefore = before.placesOf(PlaceKind::Step).size();
    comparison.stepsAfter = after.placesOf(PlaceKind::Step).size();
    for (const GroupInfo& info : kGroups)
        comparison.groups.push_back({info.name, false, before.of(info.group), after.of(info.group),
                                     leftOutOf(before, info.group, comparison.ofDevices),
                                     leftOutOf(after, info.group, comparison.ofDevices)});
    Changes changes;
    addRows(before, &Change::before, &Change::leftOutBefore, changes);
    addRows(after, &Change::after, &Change::leftOutAfter, changes);
    for (auto& [key, change] : changes) {
        const bool isLeftOut =
            change.leftOutBefore + change.leftOutAfter > 0 && change.onDevice == comparison.ofDevices;
        if (isLeftOut || comparison.timeOf(change.before) > 0 || comparison.timeOf(change.after) > 0)
            comparison.names.push_back(std::move(change));
    }
    for (auto* list : {&comparison.groups, &comparison.names})
        std::ranges::stable_sort(*list, {}, [&](const Change& change) {
            return std::tuple(-std::abs(comparison.difference(change)), change.name);
        });
    return comparison;
}

}  // namespace reelgrid::profile

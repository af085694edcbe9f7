#include "core/profile/summary_table.h"

#include <algorithm>

#include "core/base/number_text.h"
#include "core/base/text_table.h"
#include "core/profile/advice.h"
#include "core/profile/figure_text.h"

namespace reelgrid::profile {
namespace {

using Line = std::vector<std::string>;

/// The first column aligned left, figures to `lastFigure`.
std::string alignedText(const std::vector<Line>& cells, std::size_t lastFigure) {
    std::vector<TableLine> lines;
    for (const Line& line : cells) lines.push_back({line, ""});
    return alignedTable(lines, 1, lastFigure + 1);
}

constexpr std::size_t kNameCharacters = 56, kShapeCharacters = 72, kMostSteps = 12;

std::string events(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " event" : " events");
}

/// What of a trace doesn't count, or not wholly.
std::vector<std::string> doubtsOf(std::uint64_t leftOut, std::uint64_t cutShort, std::int64_t cutOff) {
    std::vector<std::string> doubts;
    if (leftOut > 0)
        doubts.push_back(events(leftOut) +
                         " without name, with impossible times, or with begin and end in two events (ph B, "
                         "E) left out");
    if (cutShort > 0)
        doubts.push_back(events(cutShort) + " cut where what " + (cutShort == 1 ? "it is" : "they are") +
                         " in ends, by " + timeText(cutOff) + " in all");
    return doubts;
}

std::string headOf(const Summary& summary) {
    std::string text = std::to_string(summary.events) + " events in " + timeText(summary.span) + "; CPU " +
                       timeText(summary.host);
    if (summary.hasDevice())
        text += "; device " + timeText(summary.device) + ", busy " +
                shareText(summary.deviceBusy, summary.deviceSpan) + " of its time";
    for (const std::string& doubt : doubtsOf(summary.impossible, summary.cutShort, summary.cutOff))
        text += "; " + doubt;
    return text + "\n";
}

std::string groupTable(const Summary& summary) {
    std::vector<Line> lines{{"group", "self CPU", "CPU %"}};
    if (summary.hasDevice()) lines[0].insert(lines[0].end(), {"device", "device %"});
    lines[0].push_back("calls");
    for (const GroupInfo& info : kGroups) {
        const Spent& spent = summary.of(info.group);
        if (spent.calls == 0) continue;
        Line line{info.name, timeText(spent.host), shareText(spent.host, summary.host)};
        if (summary.hasDevice())
            line.insert(line.end(), {timeText(spent.device), shareText(spent.device, summary.device)});
        line.push_back(std::to_string(spent.calls));
        lines.push_back(std::move(line));
    }
    return alignedText(lines, lines[0].size());
}

/// A place's time by group, the largest first: "attention 48.0 %, matrix products 30.1 %".
std::string makeUp(const Summary& summary, const Place& place) {
    std::vector<std::pair<std::int64_t, const char*>> parts;
    std::int64_t whole = 0;
    for (const GroupInfo& info : kGroups) {
        const std::int64_t time = summary.timeOf(place.groups[static_cast<std::size_t>(info.group)]);
        whole += time;
        parts.emplace_back(time, info.name);
    }
    std::ranges::stable_sort(parts, std::greater<>(), [](const auto& part) { return part.first; });
    constexpr std::size_t kShown = 3;
    std::string text;
    for (std::size_t i = 0; i < kShown; ++i)
        if (parts[i].first > 0)
            text +=
                (i == 0 ? "" : ", ") + std::string(parts[i].second) + " " + shareText(parts[i].first, whole);
    return text;
}

std::int64_t deviceOf(const Place& place) {
    std::int64_t device = 0;
    for (const Spent& spent : place.groups) device += spent.device;
    return device;
}

Line placeLine(const Summary& summary, const Place& place) {
    Line line{place.name, timeText(place.host)};
    if (summary.hasDevice()) line.push_back(timeText(deviceOf(place)));
    line.insert(line.end(), {std::to_string(place.calls), makeUp(summary, place)});
    return line;
}

std::string placeTable(const Summary& summary) {
    std::vector<Line> lines{{"where", "CPU"}};
    if (summary.hasDevice()) lines[0].push_back("device");
    lines[0].insert(lines[0].end(), {"times", "most of it"});
    for (const Place* place : summary.placesOf(PlaceKind::Stage)) lines.push_back(placeLine(summary, *place));
    const auto steps = summary.placesOf(PlaceKind::Step), layers = summary.placesOf(PlaceKind::Layer);
    for (std::size_t i = 0; i < std::min(steps.size(), kMostSteps); ++i)
        lines.push_back(placeLine(summary, *steps[i]));
    if (lines.size() == 1 && layers.empty()) return {};
    std::string text = alignedText(lines, lines[0].size() - 2);
    if (steps.size() > kMostSteps)
        text += "and " + std::to_string(steps.size() - kMostSteps) + " more steps\n";
    if (layers.empty()) return text;
    const auto timeOf = [&](const Place* place) {
        return summary.hasDevice() ? deviceOf(*place) : place->host;
    };
    const auto [least, most] = std::ranges::minmax_element(layers, {}, timeOf);
    return text + std::to_string(layers.size()) + " layers: from " + timeText(timeOf(*least)) + " (" +
           (*least)->name + ") to " + timeText(timeOf(*most)) + " (" + (*most)->name + ")\n";
}

std::string shapesText(const Row& row) {
    if (row.shapes.empty()) return {};
    return cut(row.shapes.front().first, kShapeCharacters) +
           (row.shapes.size() > 1 ? " +" + std::to_string(row.shapes.size() - 1) : "");
}

std::string averageText(std::int64_t total, std::uint64_t calls) {
    return calls == 0 ? "-" : timeText(total / static_cast<std::int64_t>(calls));
}

std::string nameTable(const Summary& summary, std::size_t top) {
    std::vector<Line> lines{{"name", "self CPU %", "self CPU", "CPU total %", "CPU total", "CPU avg"}};
    if (summary.hasDevice())
        lines[0].insert(lines[0].end(), {"self device %", "self device", "device total", "device avg"});
    lines[0].insert(lines[0].end(), {"calls", "group", "inputs"});
    const bool hasStacks =
        std::ranges::any_of(summary.rows, [](const Row& row) { return !row.stack.empty(); });
    if (hasStacks) lines[0].push_back("source location");
    for (std::size_t i = 0; i < std::min(top, summary.rows.size()); ++i) {
        const Row& row = summary.rows[i];
        Line line{cut(row.name, kNameCharacters)};
        if (row.onDevice)
            line.insert(line.end(), {"-", "-", "-", "-", "-"});
        else
            line.insert(line.end(), {shareText(row.selfHost, summary.host), timeText(row.selfHost),
                                     shareText(row.totalHost, summary.host), timeText(row.totalHost),
                                     averageText(row.totalHost, row.calls)});
        if (summary.hasDevice())
            line.insert(line.end(), {shareText(row.selfDevice, summary.device), timeText(row.selfDevice),
                                     timeText(row.totalDevice), averageText(row.totalDevice, row.calls)});
        line.insert(line.end(), {std::to_string(row.calls), nameOf(row.group), shapesText(row)});
        if (hasStacks && !row.stack.empty()) line.push_back(row.stack.front());
        lines.push_back(std::move(line));
        for (std::size_t entry = 1; entry < row.stack.size(); ++entry) {
            Line below(lines[0].size());
            below.back() = row.stack[entry];
            lines.push_back(std::move(below));
        }
    }
    std::string text = alignedText(lines, lines[0].size() - (hasStacks ? 4 : 3));
    if (summary.rows.size() > top)
        text += "and " + std::to_string(summary.rows.size() - top) + " more names (--top)\n";
    text += "self CPU time total: " + timeText(summary.host) + "\n";
    if (summary.hasDevice()) text += "self device time total: " + timeText(summary.device) + "\n";
    return text;
}

std::string bottleneckText(const Summary& summary) {
    if (summary.base() <= 0) return "none of its events takes any time\n";
    std::string text = "What takes the time, and what to try:\n";
    int number = 0;
    for (const Bottleneck& each : bottlenecksOf(summary))
        text += std::to_string(++number) + ". " + each.what + ": " + shareText(each.time, each.whole) + " (" +
                timeText(each.time) + " of " + timeText(each.whole) + ")" +
                (each.evidence.empty() ? "" : "; " + each.evidence) + "\n   " + each.advice + "\n";
    return text;
}

std::string sideText(const TraceComparison& comparison, const Spent& spent, std::uint64_t leftOut) {
    if (spent.calls > 0) return timeText(comparison.timeOf(spent));
    return leftOut > 0 ? "left out" : "-";
}

std::string callsText(const Spent& spent, std::uint64_t leftOut) {
    return std::to_string(spent.calls) + (leftOut > 0 ? " (" + std::to_string(leftOut) + " left out)" : "");
}

std::string signedTime(std::int64_t nanoseconds) {
    return (nanoseconds > 0 ? "+" : "") + timeText(nanoseconds);
}

std::string changeTable(const TraceComparison& comparison, const std::vector<Change>& changes,
                        const std::string& title, std::size_t top) {
    std::vector<Line> lines{{title, "before", "after", "difference", "calls"}};
    for (std::size_t i = 0; i < std::min(top, changes.size()); ++i) {
        const Change& change = changes[i];
        if (change.before.calls + change.after.calls + change.leftOutBefore + change.leftOutAfter == 0)
            continue;
        lines.push_back({cut(change.name, kNameCharacters),
                         sideText(comparison, change.before, change.leftOutBefore),
                         sideText(comparison, change.after, change.leftOutAfter),
                         change.isUnknown() ? "?" : signedTime(comparison.difference(change)),
                         callsText(change.before, change.leftOutBefore) + " → " +
                             callsText(change.after, change.leftOutAfter)});
    }
    return alignedText(lines, 3);
}

std::string noteOf(const char* side, const TraceFacts& facts, const TraceFacts& other) {
    std::string text;
    if (facts.device == 0 && other.device > 0)
        text = std::string("note: the trace ") + side +
               " has no time of a device: compared is the CPU's own time of both, without the " +
               timeText(other.device) + " that the other's device took\n";
    for (const std::string& doubt : doubtsOf(facts.leftOut, facts.cutShort, facts.cutOff))
        text += std::string("note: ") + side + ": " + doubt + "\n";
    return text;
}

}  // namespace

std::string tablesOf(const Summary& summary, std::size_t top) {
    const std::string places = placeTable(summary);
    return headOf(summary) + "\n" + groupTable(summary) + "\n" + places + (places.empty() ? "" : "\n") +
           nameTable(summary, top) + "\n" + bottleneckText(summary);
}

std::string tablesOf(const TraceComparison& comparison, std::size_t top) {
    std::string text = std::string(comparison.ofDevices ? "device" : "CPU") + " time " +
                       timeText(comparison.before) + " before, " + timeText(comparison.after) +
                       " after: " + signedTime(comparison.after - comparison.before);
    if (comparison.before > 0)
        text += ", " +
                fixed(static_cast<double>(comparison.after) / static_cast<double>(comparison.before), 3) +
                " ×";
    text += "\n" + noteOf("before", comparison.factsBefore, comparison.factsAfter) +
            noteOf("after", comparison.factsAfter, comparison.factsBefore);
    if (comparison.stepsBefore != comparison.stepsAfter)
        text += "note: " + std::to_string(comparison.stepsBefore) + " and " +
                std::to_string(comparison.stepsAfter) + " steps were recorded: not the same work\n";
    if (comparison.decodeDiffers())
        text += std::string("note: the decode was recorded ") +
                (*comparison.factsBefore.decode ? "before" : "after") + " alone: not the same work\n";
    return text + "\n" + changeTable(comparison, comparison.groups, "group", comparison.groups.size()) +
           "\n" + changeTable(comparison, comparison.names, "name", top);
}

}  // namespace reelgrid::profile

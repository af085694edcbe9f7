#include "core/profile/rank_traces.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/folder.h"
#include "core/base/text_table.h"
#include "core/profile/figure_text.h"

namespace reelgrid::profile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExchange = "communication";
constexpr int kMostRanks = 1024;

/// Of "trace_rank12.json.gz".
std::optional<int> rankIn(const std::string& name) {
    constexpr std::string_view kStart = "trace_rank";
    if (!name.starts_with(kStart)) return std::nullopt;
    int rank = -1;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + kStart.size(), end, rank);
    const std::string_view rest(read.ptr, std::size_t(end - read.ptr));
    const bool isTrace = rest == ".json" || rest == ".json.gz";
    return read.ec == std::errc() && isTrace && rank >= 0 && rank < kMostRanks ? std::optional(rank)
                                                                               : std::nullopt;
}

struct Span {
    std::int64_t begin = 0, end = 0;
};

/// Without overlaps, in order.
std::vector<Span> joined(std::vector<Span> spans) {
    std::ranges::sort(spans, {}, &Span::begin);
    std::vector<Span> apart;
    for (const Span& span : spans)
        if (apart.empty() || span.begin > apart.back().end)
            apart.push_back(span);
        else
            apart.back().end = std::max(apart.back().end, span.end);
    return apart;
}

std::int64_t common(const std::vector<Span>& a, const std::vector<Span>& b) {
    std::int64_t time = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        time += std::max<std::int64_t>(0, std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
        a[i].end < b[j].end ? ++i : ++j;
    }
    return time;
}

Span wholeOf(const Trace& trace) {
    if (trace.events.empty()) return {};
    Span whole{trace.events.front().start, trace.events.front().end()};
    for (const Event& event : trace.events) {
        whole.begin = std::min(whole.begin, event.start);
        whole.end = std::max(whole.end, event.end());
    }
    return whole;
}

std::uint32_t copied(std::uint32_t number, const Names& from, Names& to, const std::string& before = "") {
    return number == Names::kNone ? Names::kNone : to.add(before + from[number]);
}

}  // namespace

Result<std::map<int, fs::path>> rankTracesIn(const fs::path& folder) {
    const auto entries = entriesOf(folder);
    if (!entries) return entries.error();
    std::map<int, fs::path> traces;
    for (const auto& entry : *entries)
        if (const auto rank = rankIn(entry.path().filename().string())) traces[*rank] = entry.path();
    if (traces.empty())
        return Error{ErrorCode::NotFound, folder.string() + ": no trace_rank0.json.gz is in it"};
    const int last = traces.rbegin()->first;
    for (int rank = 0; rank < last; ++rank)
        if (!traces.contains(rank))
            return Error{ErrorCode::InvalidData, folder.string() + ": it has the trace of rank " +
                                                     std::to_string(last) + ", but not of rank " +
                                                     std::to_string(rank) +
                                                     ", which may lie on another host; all in one folder "
                                                     "were needed"};
    return traces;
}

RankCommunication communicationOf(const Trace& trace, int rank) {
    const Span whole = wholeOf(trace);
    RankCommunication found{.rank = rank, .span = whole.end - whole.begin};
    std::vector<Span> waits, device;
    for (const Event& event : trace.events) {
        if (isOnDevice(event.kind)) {
            if (event.kind == EventKind::Kernel) device.push_back({event.start, event.end()});
        } else if (event.kind == EventKind::Range && trace.names[event.name] == kExchange) {
            waits.push_back({event.start, event.end()});
            ++found.calls;
        }
    }
    waits = joined(std::move(waits));
    for (const Span& wait : waits) found.waited += wait.end - wait.begin;
    found.overlapped = common(waits, joined(std::move(device)));
    return found;
}

void addRank(const Trace& trace, int rank, Trace& all) {
    const std::int64_t begin = wholeOf(trace).begin;
    // Launches are told by numbers, which each rank counts by itself.
    std::uint32_t before = 0;
    for (const Event& event : all.events) before = std::max(before, event.correlation);
    const std::string lanes = "rank " + std::to_string(rank) + " ";
    for (Event event : trace.events) {
        event.start -= begin;
        event.name = copied(event.name, trace.names, all.names);
        event.lane = copied(event.lane, trace.lanes, all.lanes, lanes);
        event.shape = copied(event.shape, trace.shapes, all.shapes);
        if (event.correlation != 0) event.correlation += before;
        if (event.name != Names::kNone && event.lane != Names::kNone)
            all.events.push_back(event);
        else
            ++all.impossible;
    }
    all.impossible += trace.impossible;
    for (const auto& [key, count] : trace.leftOut) {
        const std::uint32_t name = copied(key.first, trace.names, all.names);
        if (name != Names::kNone) all.leftOut[{name, key.second}] += count;
    }
}

std::string communicationTable(const std::vector<RankCommunication>& ranks) {
    std::vector<TableLine> lines{
        {{"rank", "recorded", "communication", "share", "device busy meanwhile", "calls"}, ""}};
    for (const RankCommunication& rank : ranks)
        lines.push_back({{std::to_string(rank.rank), timeText(rank.span), timeText(rank.waited),
                          shareText(rank.waited, rank.span), shareText(rank.overlapped, rank.waited),
                          std::to_string(rank.calls)},
                         ""});
    return "Waiting for other ranks; what a ring sends while it computes isn't in it:\n" +
           alignedTable(lines, 1) + "\nAll ranks together, each from its own beginning:\n";
}

}  // namespace reelgrid::profile

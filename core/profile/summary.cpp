#include "core/profile/summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace reelgrid::profile {
namespace {

/// ns: a begin and a duration in whole µs, as older versions of torch wrote them.
constexpr std::int64_t kRounding = 2000;

using GroupTimes = std::array<std::int64_t, kGroupCount>;

struct RowSums {
    Row row;
    GroupTimes byGroup{};
    std::uint32_t open = 0;  ///< of this name, around what runs
    std::unordered_map<std::uint32_t, Spent> shapes;
};

/// An event that others run inside of.
struct Frame {
    const Event* event = nullptr;
    std::int64_t end = 0;
    std::int64_t inside = 0;  ///< what its inner events took
    Group group = Group::Other;
    std::array<int, 3> places{-1, -1, -1};  ///< by kind: the innermost, as numbers of m_places
    std::uint32_t stack = 0;                ///< of its row: a number of m_stacks
};

/// Walks the threads' events from the outermost in, then the devices'.
class Summer {
  public:
    Summer(Trace&& trace, RowsBy by) : m_trace(std::move(trace)), m_by(by) { (void)m_stacks.add(""); }

    Summary sum() {
        prepare();
        for (const Event& event : m_trace.events) {
            if (isOnDevice(event.kind)) continue;
            if (m_lane != event.lane) closeAll();
            m_lane = event.lane;
            while (!m_frames.empty() && m_frames.back().end <= event.start) close();
            while (!m_functions.empty() && m_functions.back()->end() <= event.start) m_functions.pop_back();
            if (event.kind == EventKind::Frame)
                m_functions.push_back(&event);
            else
                open(event);
        }
        closeAll();
        for (const std::uint32_t kernel : m_launched)
            if (!m_counted[kernel]) countKernel(m_trace.events[kernel], nullptr);
        finish();
        return std::move(m_summary);
    }

  private:
    void prepare();
    void open(const Event& event);
    void close();
    void closeAll() {
        while (!m_frames.empty()) close();
        m_functions.clear();
    }
    void enterPlace(PlaceKind kind, Frame& frame);
    void launch(const Event& event);
    void countKernel(const Event& kernel, const Frame* launcher);
    void finish();
    void measureDevices();
    std::optional<Group> groupOfName(const Event& event);
    RowSums& rowOf(const Event& event, std::uint32_t stack = 0) {
        return m_rows[{event.name, isOnDevice(event.kind), stack}];
    }
    RowSums& rowOf(const Frame& frame) { return rowOf(*frame.event, frame.stack); }
    std::uint32_t stackAround();
    void addTo(const Frame& frame, std::int64_t host, std::int64_t device, Group group, int calls);

    Trace m_trace;
    RowsBy m_by;
    Summary m_summary;
    std::map<std::tuple<std::uint32_t, bool, std::uint32_t>, RowSums> m_rows;
    Names m_stacks;                         ///< each a line an entry
    std::vector<const Event*> m_functions;  ///< of Python, around what runs
    std::map<std::pair<std::uint32_t, EventKind>, std::optional<Group>> m_groups;
    std::map<std::pair<PlaceKind, std::uint32_t>, int> m_placeNumbers;
    std::vector<Frame> m_frames;
    std::uint32_t m_lane = 0;
    std::vector<std::uint32_t> m_launched;  ///< the devices' events, by correlation
    std::vector<bool> m_counted;
};

void Summer::prepare() {
    std::vector<Event>& events = m_trace.events;
    // Of two with the same times the outer one is the range, then the operator.
    std::ranges::stable_sort(events, {}, [](const Event& event) {
        return std::tuple(event.lane, event.start, -event.duration, event.kind != EventKind::Range,
                          event.kind == EventKind::Runtime);
    });
    std::int64_t first = events.front().start, last = events.front().end();
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        first = std::min(first, events[i].start);
        last = std::max(last, events[i].end());
        if (isOnDevice(events[i].kind)) m_launched.push_back(i);
    }
    std::ranges::stable_sort(m_launched, {}, [&](std::uint32_t i) { return events[i].correlation; });
    m_counted.assign(events.size(), false);
    m_summary.span = last - first;
    m_summary.events = static_cast<std::size_t>(
        std::ranges::count_if(events, [](const Event& event) { return event.kind != EventKind::Frame; }));
    m_summary.impossible = m_trace.impossible;
    for (const auto& [key, count] : m_trace.leftOut) {
        const std::string& name = m_trace.names[key.first];
        m_summary.leftOut.push_back(
            {name, isOnDevice(key.second), ownGroup(key.second, name).value_or(Group::Other), count});
    }
}

std::optional<Group> Summer::groupOfName(const Event& event) {
    const auto [place, isNew] = m_groups.try_emplace({event.name, event.kind});
    if (isNew) place->second = ownGroup(event.kind, m_trace.names[event.name]);
    return place->second;
}

void Summer::open(const Event& event) {
    Frame frame{.event = &event, .end = event.end()};
    if (!m_frames.empty()) {
        Frame& outer = m_frames.back();
        // Rounded times may let it end after what it is in.
        if (const std::int64_t over = frame.end - outer.end; over > kRounding) {
            ++m_summary.cutShort;
            m_summary.cutOff += over;
        }
        frame.end = std::min(frame.end, outer.end);
        outer.inside += frame.end - event.start;
        frame.places = outer.places;
        frame.group = outer.group;
    }
    frame.group = groupWithin(frame.group, groupOfName(event));
    if (const auto kind = placeOf(event.kind, m_trace.names[event.name])) enterPlace(*kind, frame);
    frame.stack = stackAround();
    RowSums& sums = rowOf(frame);
    ++sums.row.calls;
    if (sums.open++ == 0) sums.row.totalHost += frame.end - event.start;
    m_frames.push_back(frame);
    if (event.correlation != 0) launch(event);
}

/// "layer" of "layer 12": calls of all layers are one row.
std::string_view withoutNumber(std::string_view name) {
    const auto last = name.find_last_not_of("0123456789");
    if (last == std::string_view::npos || last + 1 == name.size()) return name;
    return name[last] == ' ' || name[last] == '#' ? name.substr(0, last) : name;
}

/// Of what is about to run: as many entries as torch's own table has.
std::uint32_t Summer::stackAround() {
    constexpr std::size_t kMostEntries = 5;
    if (m_by == RowsBy::Name) return 0;
    std::string stack;
    auto frame = m_frames.rbegin();
    auto function = m_functions.rbegin();
    for (std::size_t entries = 0; entries < kMostEntries;) {
        while (frame != m_frames.rend() && frame->event->kind != EventKind::Range) ++frame;
        const bool hasFrame = frame != m_frames.rend(), hasFunction = function != m_functions.rend();
        if (!hasFrame && !hasFunction) break;
        const bool isFunction = hasFunction && (!hasFrame || (*function)->start >= frame->event->start);
        const Event& entry = isFunction ? **function++ : *(frame++)->event;
        if (!stack.empty()) stack += '\n';
        stack += entry.source != Names::kNone ? std::string_view(m_trace.sources[entry.source])
                                              : withoutNumber(m_trace.names[entry.name]);
        ++entries;
    }
    const std::uint32_t number = m_stacks.add(stack);
    return number == Names::kNone ? 0 : number;
}

void Summer::enterPlace(PlaceKind kind, Frame& frame) {
    const auto [place, isNew] =
        m_placeNumbers.try_emplace({kind, frame.event->name}, static_cast<int>(m_summary.places.size()));
    if (isNew)
        m_summary.places.push_back(
            {.kind = kind, .name = m_trace.names[frame.event->name], .calls = 0, .host = 0});
    Place& entered = m_summary.places[static_cast<std::size_t>(place->second)];
    ++entered.calls;
    entered.host += frame.end - frame.event->start;
    frame.places[static_cast<std::size_t>(kind)] = place->second;
}

void Summer::addTo(const Frame& frame, std::int64_t host, std::int64_t device, Group group, int calls) {
    const auto add = [&](Spent& spent) {
        spent.host += host;
        spent.device += device;
        spent.calls += static_cast<std::uint64_t>(calls);
    };
    add(m_summary.groups[static_cast<std::size_t>(group)]);
    for (const int place : frame.places)
        if (place >= 0)
            add(m_summary.places[static_cast<std::size_t>(place)].groups[static_cast<std::size_t>(group)]);
}

void Summer::close() {
    const Frame frame = m_frames.back();
    m_frames.pop_back();
    const std::int64_t self = std::max<std::int64_t>(0, frame.end - frame.event->start - frame.inside);
    RowSums& sums = rowOf(frame);
    --sums.open;
    sums.row.selfHost += self;
    sums.byGroup[static_cast<std::size_t>(frame.group)] += self;
    if (frame.event->shape != Names::kNone) {
        Spent& shape = sums.shapes[frame.event->shape];
        shape.host += self;
        ++shape.calls;
    }
    m_summary.host += self;
    addTo(frame, self, 0, frame.group, 1);
}

/// What a call of the runtime started on a device: a kernel, or all those of a graph.
void Summer::launch(const Event& event) {
    const auto [begin, end] = std::ranges::equal_range(
        m_launched, event.correlation, {}, [&](std::uint32_t i) { return m_trace.events[i].correlation; });
    for (auto kernel = begin; kernel != end; ++kernel) {
        if (m_counted[*kernel]) continue;
        m_counted[*kernel] = true;
        countKernel(m_trace.events[*kernel], &m_frames.back());
    }
}

void Summer::countKernel(const Event& kernel, const Frame* launcher) {
    const Group group =
        groupWithin(launcher != nullptr ? launcher->group : Group::Other, groupOfName(kernel));
    RowSums& sums = rowOf(kernel);
    ++sums.row.calls;
    sums.row.selfDevice += kernel.duration;
    sums.row.totalDevice += kernel.duration;
    sums.byGroup[static_cast<std::size_t>(group)] += kernel.duration;
    m_summary.device += kernel.duration;
    m_summary.kernels += kernel.kind == EventKind::Kernel ? 1 : 0;
    addTo(launcher != nullptr ? *launcher : Frame{}, 0, kernel.duration, group, 1);
    if (launcher == nullptr) return;

    // The innermost operator or range launched it; every name around has it in its total, once.
    bool isInnermost = true;
    std::vector<RowSums*> seen;
    for (auto frame = m_frames.rbegin(); frame != m_frames.rend(); ++frame) {
        if (frame->event->kind == EventKind::Runtime) continue;
        RowSums& outer = rowOf(*frame);
        if (isInnermost) {
            outer.row.selfDevice += kernel.duration;
            if (frame->event->shape != Names::kNone)
                outer.shapes[frame->event->shape].device += kernel.duration;
        }
        isInnermost = false;
        if (std::ranges::find(seen, &outer) != seen.end()) continue;
        seen.push_back(&outer);
        outer.row.totalDevice += kernel.duration;
    }
}

/// Streams of one device overlap: what counts is that any of them does something. Of each device by itself:
/// one that computes doesn't make another one busy.
void Summer::measureDevices() {
    std::map<std::string_view, std::vector<std::pair<std::int64_t, std::int64_t>>> busyOf;
    for (const std::uint32_t kernel : m_launched) {
        const Event& event = m_trace.events[kernel];
        const std::string_view lane = m_trace.lanes[event.lane];
        busyOf[lane.substr(0, lane.rfind('/'))].emplace_back(event.start, event.end());
    }
    for (auto& [device, busy] : busyOf) {
        std::ranges::sort(busy);
        std::int64_t until = busy.front().first;
        for (const auto& [start, end] : busy) {
            m_summary.deviceBusy += std::max<std::int64_t>(0, end - std::max(start, until));
            until = std::max(until, end);
        }
        m_summary.deviceSpan += until - busy.front().first;
    }
}

void Summer::finish() {
    measureDevices();
    for (auto& [key, sums] : m_rows) {
        Row& row = sums.row;
        row.name = m_trace.names[std::get<0>(key)];
        row.onDevice = std::get<1>(key);
        std::istringstream entries(m_stacks[std::get<2>(key)]);
        for (std::string entry; std::getline(entries, entry);) row.stack.push_back(entry);
        const auto most = std::ranges::max_element(sums.byGroup);
        row.group = static_cast<Group>(most - sums.byGroup.begin());
        if (*most == 0)
            row.group =
                ownGroup(row.onDevice ? EventKind::Kernel : EventKind::Op, row.name).value_or(Group::Other);
        for (const auto& [shape, spent] : sums.shapes) row.shapes.emplace_back(m_trace.shapes[shape], spent);
        std::ranges::sort(row.shapes, [](const auto& a, const auto& b) {
            return std::tuple(-a.second.device, -a.second.host, a.first) <
                   std::tuple(-b.second.device, -b.second.host, b.first);
        });
        m_summary.rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(m_summary.rows, {}, [](const Row& row) {
        return std::tuple(-row.selfDevice, -row.selfHost, row.name, row.stack);
    });
}

}  // namespace

std::vector<const Place*> Summary::placesOf(PlaceKind kind) const {
    std::vector<const Place*> found;
    for (const Place& place : places)
        if (place.kind == kind) found.push_back(&place);
    return found;
}

Summary summaryOf(Trace&& trace, RowsBy by) {
    return Summer(std::move(trace), by).sum();
}

}  // namespace reelgrid::profile

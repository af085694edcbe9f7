#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/event_group.h"
#include "core/profile/trace.h"

namespace reelgrid::profile {

/// Times in ns. "Self" leaves out what an event's inner events took; a device's time belongs to the innermost
/// event that launched it.
struct Spent {
    std::int64_t host = 0;
    std::int64_t device = 0;
    std::uint64_t calls = 0;
};

/// Everything of one name.
struct Row {
    std::string name;
    bool onDevice = false;       ///< a kernel or copy: its time is the device's, and counted once more in the
                                 ///< event that launched it
    Group group = Group::Other;  ///< where most of its time is
    std::uint64_t calls = 0;
    std::int64_t selfHost = 0, totalHost = 0;  ///< in a recursion the outermost alone counts as total
    std::int64_t selfDevice = 0, totalDevice = 0;
    std::vector<std::pair<std::string, Spent>> shapes;  ///< self times by the inputs' sizes, largest first
    /// What it was called in, the innermost first: functions of Python, and the places in the sources of the
    /// ranges around it (else their names, without numbers). Of rows by stack alone.
    std::vector<std::string> stack;
};

/// A stage, a step or a layer that ranges name.
struct Place {
    PlaceKind kind = PlaceKind::Stage;
    std::string name;
    std::uint64_t calls = 0;
    std::int64_t host = 0;                    ///< from its begin to its end, summed
    std::array<Spent, kGroupCount> groups{};  ///< self times
};

/// Events of one name that were left out (Trace::impossible).
struct LeftOut {
    std::string name;
    bool onDevice = false;
    Group group = Group::Other;
    std::uint64_t events = 0;
};

struct Summary {
    std::vector<Row> rows;                    ///< largest first: self time on the device, then on the host
    std::array<Spent, kGroupCount> groups{};  ///< self times
    std::vector<Place> places;                ///< in the order that they begin in
    std::int64_t span = 0;                    ///< from the first event to the last one's end
    std::int64_t host = 0;                    ///< all self times of threads
    std::int64_t device = 0;                  ///< all times of devices, those at once counted each
    std::int64_t deviceBusy = 0;              ///< while a device did something, of all devices together
    std::int64_t deviceSpan = 0;              ///< from its first event to its last one's end, likewise
    std::uint64_t kernels = 0;
    std::size_t events = 0;
    std::uint64_t impossible = 0;  ///< events left out
    std::vector<LeftOut> leftOut;  ///< those of them with a name
    std::uint64_t cutShort = 0;    ///< events that end after the one that they are in, and were cut there
    std::int64_t cutOff = 0;       ///< how much of them

    [[nodiscard]] bool hasDevice() const { return device > 0; }
    /// The time that shares are of: the devices' where there is any, else the threads'.
    [[nodiscard]] std::int64_t base() const { return hasDevice() ? device : host; }
    [[nodiscard]] std::int64_t timeOf(const Spent& spent) const {
        return hasDevice() ? spent.device : spent.host;
    }
    [[nodiscard]] const Spent& of(Group group) const { return groups[static_cast<std::size_t>(group)]; }
    [[nodiscard]] std::vector<const Place*> placesOf(PlaceKind kind) const;
};

/// What a row is of.
enum class RowsBy { Name, NameAndStack };

/// Sums a trace up; sorts its events.
Summary summaryOf(Trace&& trace, RowsBy by = RowsBy::Name);

}  // namespace reelgrid::profile

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelgrid::profile {

/// What kind of thing an event of torch's profiler is.
enum class EventKind : std::uint8_t {
    Op,       ///< an operator, on a thread
    Range,    ///< what a program named: record_function, a stage, a step, a layer
    Runtime,  ///< a call of CUDA's (XPU's, HIP's) runtime or driver, on a thread
    Kernel,   ///< on a device, as are the two that follow
    Copy,
    Fill,
    Frame,  ///< a function of Python on a thread's stack: takes no time of its own here
};
inline bool isOnDevice(EventKind kind) {
    return kind >= EventKind::Kernel && kind <= EventKind::Fill;
}

/// Texts by number, each kept once.
class Names {
  public:
    static constexpr std::uint32_t kNone = 0xffffffff;
    Names() = default;
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;
    Names(Names&&) = default;
    Names& operator=(Names&&) = default;
    ~Names() = default;

    /// kNone when all texts together would take more than 256 MiB.
    std::uint32_t add(std::string_view text);
    [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return *m_texts[number]; }
    [[nodiscard]] std::size_t size() const { return m_texts.size(); }

  private:
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
    std::unordered_map<std::string, std::uint32_t> m_numbers;
    std::vector<const std::string*> m_texts;
    std::size_t m_bytes = 0;
};

struct Event {
    std::int64_t start = 0;     ///< ns
    std::int64_t duration = 0;  ///< ns, 0 or more
    std::uint32_t name = 0;
    std::uint32_t lane = 0;               ///< a thread of a process, or a stream of a device
    std::uint32_t shape = Names::kNone;   ///< of the inputs, where they were recorded
    std::uint32_t source = Names::kNone;  ///< where in the program's sources it is, where that was recorded
    std::uint32_t correlation = 0;        ///< ties a device's event to its launch; 0: none
    EventKind kind = EventKind::Op;

    [[nodiscard]] std::int64_t end() const { return start + duration; }
};

/// Whether functions of Python are kept, as events of their own.
enum class StackFrames { LeftOut, Kept };

/// The events of a trace of torch's profiler that take time.
struct Trace {
    std::vector<Event> events;
    Names names, lanes, shapes, sources;
    /// Events left out: without name, with a time that can't be, or begun and ended by two events.
    std::uint64_t impossible = 0;
    std::map<std::pair<std::uint32_t, EventKind>, std::uint64_t> leftOut;  ///< those of them with a name
};

}  // namespace reelgrid::profile

#include "core/profile/trace_parser.h"

#include <cmath>

#include "core/base/json.h"
#include "core/base/one_line.h"

namespace reelgrid::profile {
namespace {

constexpr std::size_t kMostNameBytes = 4096, kMostShapeBytes = 160;
constexpr std::size_t kMostForeign = 6, kMostCategoryBytes = 40;
/// Three of these added, in ns, are still an int64; so many µs after 1970 is the year 2033.
constexpr double kMostMicroseconds = 2e15;
constexpr std::int64_t kMostNanoseconds = 9'000'000'000'000'000'000;
constexpr double kMostCorrelation = 4294967295.0;
/// µs: a begin and an end, two looks at a clock, lie further apart.
constexpr double kLeastMicroseconds = 0.02;

struct Category {
    const char* name;
    EventKind kind;
};
/// As libkineto names them; the capital ones are those of torch before 1.13.
constexpr std::array kCategories{
    Category{"cpu_op", EventKind::Op},
    Category{"user_annotation", EventKind::Range},
    Category{"cuda_runtime", EventKind::Runtime},
    Category{"cuda_driver", EventKind::Runtime},
    Category{"xpu_runtime", EventKind::Runtime},
    Category{"xpu_driver", EventKind::Runtime},
    Category{"kernel", EventKind::Kernel},
    Category{"gpu_memcpy", EventKind::Copy},
    Category{"gpu_memset", EventKind::Fill},
    Category{"Operator", EventKind::Op},
    Category{"Runtime", EventKind::Runtime},
    Category{"Kernel", EventKind::Kernel},
    Category{"Memcpy", EventKind::Copy},
    Category{"Memset", EventKind::Fill},
};

std::optional<EventKind> kindOf(const std::string& category) {
    for (const Category& known : kCategories)
        if (category == known.name) return known.kind;
    return std::nullopt;
}

std::optional<std::int64_t> nanoseconds(const std::optional<double>& microseconds) {
    if (!microseconds || !(std::abs(*microseconds) <= kMostMicroseconds)) return std::nullopt;
    return std::llround(*microseconds * 1e3);
}

std::string shortened(const std::string& text, std::size_t bytes) {
    return text.size() <= bytes ? text : text.substr(0, bytes) + "…";
}

}  // namespace

bool TraceParser::stop(std::string problem) {
    if (m_problem.empty()) m_problem = std::move(problem);
    return false;
}

bool TraceParser::parse_error(std::size_t position, const std::string&,
                              const nlohmann::detail::exception& error) {
    constexpr int kNumberOutOfRange = 406;
    return stop(std::string(error.id == kNumberOutOfRange ? "a number that is too large"
                                                          : "not JSON, or cut short,") +
                " at byte " + std::to_string(position));
}

bool TraceParser::enter() {
    ++m_depth;
    return m_depth <= kMaxJsonDepth || stop("nested more than " + std::to_string(kMaxJsonDepth) + " deep");
}

bool TraceParser::start_object(std::size_t) {
    if (m_listDepth > 0 && m_depth == m_listDepth) {
        m_raw = {};
        m_field = Field::None;
        m_eventDepth = m_depth + 1;
    }
    return enter();
}

bool TraceParser::end_object() {
    const bool eventEnds = atField();
    --m_depth;
    if (!eventEnds) return true;
    m_eventDepth = 0;
    return finishEvent();
}

bool TraceParser::start_array(std::size_t) {
    const bool atTop = m_depth == 0 || (m_depth == 1 && m_eventsFollow);
    if (atTop && m_listDepth == 0) {
        m_listDepth = m_depth + 1;
        m_hasEvents = true;
    }
    if (m_dimsDepth > 0) {
        if (m_raw.shape.size() < kMostShapeBytes) m_raw.shape += '[';
    } else if (atArgument() && m_argument == Argument::InputDims) {
        m_dimsDepth = m_depth + 1;
    }
    return enter();
}

bool TraceParser::end_array() {
    if (m_dimsDepth > 0) {
        std::string& shape = m_raw.shape;
        if (m_depth == m_dimsDepth)
            m_dimsDepth = 0;
        else if (shape.ends_with('['))
            shape.pop_back();  // a scalar has no sizes
        else if (!shape.ends_with("…"))
            shape += ']';
    } else if (m_depth == m_listDepth) {
        m_listDepth = 0;
    }
    --m_depth;
    return true;
}

bool TraceParser::key(string_t& value) {
    if (m_depth == 1) m_eventsFollow = value == "traceEvents";
    if (atField()) {
        m_field = value == "ph"     ? Field::Phase
                  : value == "cat"  ? Field::Category
                  : value == "name" ? Field::Name
                  : value == "ts"   ? Field::Start
                  : value == "dur"  ? Field::Duration
                  : value == "pid"  ? Field::Process
                  : value == "tid"  ? Field::Thread
                  : value == "args" ? Field::Arguments
                                    : Field::None;
    } else if (atArgument()) {
        m_argument = value == "correlation"                           ? Argument::Correlation
                     : value == "source"                              ? Argument::Source
                     : value == "Input Dims" || value == "Input dims" ? Argument::InputDims
                                                                      : Argument::None;
    }
    return true;
}

bool TraceParser::string(string_t& value) {
    if (atArgument() && m_argument == Argument::Source) m_raw.source = shortened(value, kMostNameBytes);
    if (!atField()) return true;
    if (m_field == Field::Phase) m_raw.phase = shortened(value, 1);
    if (m_field == Field::Category) m_raw.category = shortened(value, kMostCategoryBytes);
    if (m_field == Field::Name) m_raw.name = shortened(value, kMostNameBytes);
    if (m_field == Field::Process) m_raw.process = shortened(value, kMostCategoryBytes);
    if (m_field == Field::Thread) m_raw.thread = shortened(value, kMostCategoryBytes);
    return true;
}

bool TraceParser::number(double value) {
    if (m_dimsDepth > 0)
        dimension(value);
    else if (inEvent())
        takeNumber(value);
    return true;
}

void TraceParser::dimension(double value) {
    std::string& shape = m_raw.shape;
    if (shape.ends_with("…")) return;
    if (shape.size() >= kMostShapeBytes) {
        shape += "…";
        return;
    }
    if (!shape.empty() && !shape.ends_with('[')) shape += ',';
    shape += std::abs(value) <= kMostMicroseconds ? std::to_string(std::llround(value)) : "?";
}

void TraceParser::takeNumber(double value) {
    if (atArgument() && m_argument == Argument::Correlation) m_raw.correlation = value;
    if (!atField()) return;
    if (m_field == Field::Start) m_raw.start = value;
    if (m_field == Field::Duration) m_raw.duration = value;
    if (m_field == Field::Process) m_raw.process = std::to_string(value);
    if (m_field == Field::Thread) m_raw.thread = std::to_string(value);
}

bool TraceParser::finishEvent() {
    // "B" begins what an "E" ends.
    const bool isWhole = m_raw.phase == "X";
    if (!isWhole && m_raw.phase != "B") return true;
    auto kind = kindOf(m_raw.category);
    if (m_frames == StackFrames::Kept && m_raw.category == "python_function") kind = EventKind::Frame;
    if (kind) return isWhole ? keep(*kind) : leaveOut(*kind);
    if (m_foreign.size() < kMostForeign || m_foreign.contains(m_raw.category)) ++m_foreign[m_raw.category];
    return true;
}

bool TraceParser::keep(EventKind kind) {
    const auto start = nanoseconds(m_raw.start), duration = nanoseconds(m_raw.duration);
    if (!start || !duration || *duration < 0 || m_raw.name.empty() ||
        *duration > kMostNanoseconds - m_durations)
        return leaveOut(kind);
    if (m_trace.events.size() >= m_mostEvents)
        return stop("more than " + std::to_string(m_mostEvents) + " events: profile fewer steps");
    Event event{.start = *start, .duration = *duration, .kind = kind};
    event.name = m_trace.names.add(inOneLine(m_raw.name));
    event.lane = m_trace.lanes.add(m_raw.process + "/" + m_raw.thread);
    if (!m_raw.shape.empty()) event.shape = m_trace.shapes.add(m_raw.shape);
    if (!m_raw.source.empty()) event.source = m_trace.sources.add(inOneLine(m_raw.source));
    if (m_raw.correlation > 0 && m_raw.correlation <= kMostCorrelation)
        event.correlation = static_cast<std::uint32_t>(m_raw.correlation);
    if (event.name == Names::kNone || event.lane == Names::kNone)
        return stop("its events have too many different names");
    m_durations += *duration;
    m_lasting += *m_raw.duration > 0 ? 1 : 0;
    if (*m_raw.duration > 0 && *m_raw.duration < kLeastMicroseconds && m_tooShort++ == 0)
        m_shortOne = inOneLine(m_raw.name) + ": dur " + showJson(*m_raw.duration);
    m_trace.events.push_back(event);
    return true;
}

bool TraceParser::leaveOut(EventKind kind) {
    ++m_trace.impossible;
    if (m_raw.name.empty()) return true;
    const std::uint32_t name = m_trace.names.add(inOneLine(m_raw.name));
    if (name != Names::kNone) ++m_trace.leftOut[{name, kind}];
    return true;
}

std::string TraceParser::unitProblem() const {
    if (m_tooShort <= m_lasting / 2) return {};
    return std::to_string(m_tooShort) + " of " + std::to_string(m_lasting) +
           " events take less than 20 ns (" + m_shortOne + "): times in microseconds were needed";
}

}  // namespace reelgrid::profile

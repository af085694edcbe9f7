#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/profile/trace.h"

namespace reelgrid::profile {

/// Takes a Chrome trace ({"traceEvents": [...]}, or the list alone) as it is parsed and keeps what torch's
/// profiler says of time. Holds one event's text at a time.
class TraceParser final : public nlohmann::json_sax<nlohmann::json> {
  public:
    explicit TraceParser(std::size_t mostEvents, StackFrames frames = StackFrames::LeftOut)
        : m_mostEvents(mostEvents), m_frames(frames) {}

    [[nodiscard]] Trace& trace() { return m_trace; }
    /// Why it stopped; empty: it didn't.
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    [[nodiscard]] bool hasEvents() const { return m_hasEvents; }
    /// Events of other kinds than torch's that take time, by category; of at most some categories.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& foreign() const { return m_foreign; }
    [[nodiscard]] std::uint64_t leftOut() const { return m_trace.impossible; }
    /// What is wrong where most events are shorter than two looks at a clock: times in another unit; else
    /// empty.
    [[nodiscard]] std::string unitProblem() const;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
    bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
    bool number_float(number_float_t value, const string_t&) override { return number(value); }
    bool string(string_t& value) override;
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override;
    bool key(string_t& value) override;
    bool end_object() override;
    bool start_array(std::size_t) override;
    bool end_array() override;
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override;

  private:
    /// One event as the text has it.
    struct Raw {
        std::string phase, category, name, process, thread, shape, source;
        std::optional<double> start, duration;
        double correlation = 0;
    };
    enum class Field { None, Phase, Category, Name, Start, Duration, Process, Thread, Arguments };
    enum class Argument { None, Correlation, InputDims, Source };

    bool number(double value);
    bool enter();
    void takeNumber(double value);
    bool finishEvent();
    bool keep(EventKind kind);
    bool leaveOut(EventKind kind);
    bool stop(std::string problem);
    void dimension(double value);

    // Depths count the containers around what is read now.
    [[nodiscard]] bool inEvent() const { return m_eventDepth > 0 && m_depth >= m_eventDepth; }
    [[nodiscard]] bool atField() const { return m_eventDepth > 0 && m_depth == m_eventDepth; }
    [[nodiscard]] bool atArgument() const {
        return m_eventDepth > 0 && m_depth == m_eventDepth + 1 && m_field == Field::Arguments;
    }

    std::size_t m_mostEvents;
    StackFrames m_frames;
    Trace m_trace;
    std::string m_problem;
    std::map<std::string, std::uint64_t> m_foreign;
    bool m_hasEvents = false;
    bool m_eventsFollow = false;  ///< the key at the top was "traceEvents"
    int m_depth = 0;
    int m_listDepth = 0;   ///< inside the list of events; 0: outside
    int m_eventDepth = 0;  ///< inside one of them; 0: outside
    int m_dimsDepth = 0;   ///< inside the list of its inputs' sizes; 0: outside
    Field m_field = Field::None;
    Argument m_argument = Argument::None;
    Raw m_raw;
    std::int64_t m_durations = 0;  ///< of all events, in ns: no sum of some of them overflows
    std::uint64_t m_lasting = 0;   ///< events that take any time
    std::uint64_t m_tooShort = 0;  ///< of them, those that no clock measures
    std::string m_shortOne;        ///< the first of these and what it has
};

}  // namespace reelgrid::profile

#include "core/profile/trace_reader.h"

#include <istream>
#include <utility>

#include "core/base/json.h"
#include "core/profile/trace_parser.h"

namespace reelgrid::profile {
namespace {

constexpr const char* kWanted = "a Chrome trace of torch's profiler (.json or .json.gz) was needed";

/// What the first bytes give away.
std::string notJson(const std::string& beginning) {
    if (beginning.empty()) return "the file is empty";
    const auto first = beginning.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first == std::string::npos) return "not JSON";
    if (beginning[first] == '{' || beginning[first] == '[') return {};
    // Field 1 of a message, which is what such a file is a list of.
    if (beginning.starts_with('\n')) return "not JSON, perhaps Perfetto's own protobuf";
    if (beginning.starts_with("PK")) return "a zip archive";
    return "not JSON";
}

std::string foreignText(const TraceParser& parser) {
    std::uint64_t events = 0;
    std::string categories;
    for (const auto& [category, count] : parser.foreign()) {
        events += count;
        categories += (categories.empty() ? "" : ", ") + (category.empty() ? "none" : category);
    }
    if (const std::uint64_t leftOut = parser.leftOut(); leftOut > 0)
        return (events == 0 ? "each of its " + std::to_string(leftOut) + " events"
                            : "each of torch's " + std::to_string(leftOut) + " events in it") +
               " has no name, a time that can't be, or its begin and end in two events (ph B, E)";
    if (events == 0) return "no event in it takes time";
    return "none of its events is torch's (cpu_op, user_annotation, kernel); their categories: " + categories;
}

}  // namespace

Result<Trace> readTrace(const std::filesystem::path& file, const TraceLimits& limits, ReadProgress progress,
                        StackFrames frames) {
    const auto wrong = [&](const std::string& what) {
        return Error{ErrorCode::InvalidData, file.string() + ": " + what + ": " + kWanted};
    };
    auto text = PackedText::open(file, limits.text, std::move(progress));
    if (!text) return text.error();
    constexpr std::size_t kLook = 64;
    const std::string other = notJson((*text)->beginning(kLook));
    if ((*text)->error()) return *(*text)->error();
    if (!other.empty()) return wrong(other);

    TraceParser parser(limits.events, frames);
    std::istream stream(text->get());
    const bool whole = nlohmann::json::sax_parse(stream, &parser);
    if ((*text)->error()) return *(*text)->error();
    if (!whole) return Error{ErrorCode::InvalidData, file.string() + ": " + parser.problem()};
    if (!parser.hasEvents()) return wrong("it has no traceEvents");
    if (parser.trace().events.empty()) return wrong(foreignText(parser));
    if (const std::string problem = parser.unitProblem(); !problem.empty())
        return Error{ErrorCode::InvalidData, file.string() + ": " + problem};
    return std::move(parser.trace());
}

}  // namespace reelgrid::profile

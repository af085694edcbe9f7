#include "core/comparison/parameters_text.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "core/comparison/origin_text.h"

namespace reelgrid::comparison {
namespace {

constexpr std::string_view kSettings = "Steps: ";
constexpr std::string_view kNegative = "Negative prompt:";

/// Where the last line begins that starts with `start`; npos: none does.
std::size_t lastLine(std::string_view text, std::string_view start) {
    std::size_t at = text.rfind(start);
    while (at != text.npos && at != 0 && text[at - 1] != '\n') at = text.rfind(start, at - 1);
    return at;
}

/// Where the first line begins that starts with `start`, else the text's end.
std::size_t firstLine(std::string_view text, std::string_view start) {
    for (std::size_t at = text.find(start); at != text.npos; at = text.find(start, at + 1))
        if (at == 0 || text[at - 1] == '\n') return at;
    return text.size();
}

/// The value of "key: value" in a list with commas, which a value in quotation marks may have, too.
std::string_view valueOf(std::string_view settings, std::string_view key) {
    while (!settings.empty()) {
        std::size_t end = 0;
        for (bool quoted = false; end < settings.size() && (quoted || settings[end] != ','); ++end) {
            if (quoted && settings[end] == '\\')
                ++end;
            else if (settings[end] == '"')
                quoted = !quoted;
        }
        end = std::min(end, settings.size());
        const std::string_view entry = settings.substr(0, end);
        if (entry.starts_with(key) && entry.substr(key.size()).starts_with(": "))
            return entry.substr(key.size() + 2);
        settings.remove_prefix(std::min(settings.size(), end + 1));
        settings.remove_prefix(std::min(settings.size(), settings.find_first_not_of(' ')));
    }
    return {};
}

template <class Number>
std::optional<Number> numberIn(std::string_view text) {
    Number number{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

std::optional<ClipOrigin> originOfParameters(std::string_view text) {
    const std::size_t at = lastLine(text, kSettings);
    if (at == text.npos) return std::nullopt;
    std::string_view settings = text.substr(at);
    settings = settings.substr(0, settings.find_first_of("\r\n"));
    ClipOrigin origin;
    if (const auto steps = numberIn<double>(valueOf(settings, "Steps"))) origin.steps = saneSteps(*steps);
    if (const auto cfg = numberIn<double>(valueOf(settings, "CFG scale"))) origin.cfg = saneCfg(*cfg);
    origin.seed = numberIn<std::uint64_t>(valueOf(settings, "Seed"));
    origin.sampler = shownName(valueOf(settings, "Sampler"));
    if (const auto schedule = valueOf(settings, "Schedule type"); schedule != "Automatic")
        origin.scheduler = shownName(schedule);
    origin.model = shownModel(valueOf(settings, "Model"));
    if (origin.text().empty()) return std::nullopt;
    const std::string_view before = text.substr(0, at);
    origin.prompt = shownPrompt(before.substr(0, firstLine(before, kNegative)));
    return origin;
}

}  // namespace reelgrid::comparison

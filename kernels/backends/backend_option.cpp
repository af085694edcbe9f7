#include "kernels/backends/backend_option.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace reelgrid::kernels {
namespace {

enum class Like { Whole, Number, Text };

struct Form {
    Like like = Like::Text;
    std::size_t count = 1;
};

Like likeOf(std::string_view text) {
    const char* end = text.data() + text.size();
    long long whole = 0;
    if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end)
        return Like::Whole;
    double number = 0;
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end && std::isfinite(number) ? Like::Number : Like::Text;
}

std::vector<std::string_view> partsOf(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

/// The least that all parts are.
Form formOf(std::string_view text) {
    Form form{Like::Whole, 0};
    for (const std::string_view part : partsOf(text)) {
        form.like = std::max(form.like, likeOf(part));
        ++form.count;
    }
    return form.like == Like::Text ? Form{} : form;
}

}  // namespace

std::optional<std::string> whyNotOption(std::span<const BackendOption> options, std::string_view key,
                                        std::string_view value) {
    const auto option = std::ranges::find(options, key, &BackendOption::key);
    if (option == options.end()) {
        std::string keys;
        for (const BackendOption& each : options) keys += (keys.empty() ? "" : ", ") + each.key;
        return " has no option " + std::string(key) +
               (keys.empty() ? ", it has none at all" : ", one of " + keys + " was needed");
    }
    const Form wanted = formOf(option->value), given = formOf(value);
    if (wanted.like == Like::Text || (given.like <= wanted.like && given.count == wanted.count))
        return std::nullopt;
    const std::string kind = wanted.like == Like::Whole ? "whole number" : "number";
    return "." + option->key + ": " +
           (wanted.count == 1
                ? "a " + kind + " was needed"
                : std::to_string(wanted.count) + " " + kind + "s separated by commas were needed");
}

std::vector<double> numbersOf(std::string_view value) {
    std::vector<double> numbers;
    for (const std::string_view part : partsOf(value)) {
        double number = 0;
        std::from_chars(part.data(), part.data() + part.size(), number);
        numbers.push_back(number);
    }
    return numbers;
}

std::string_view valueOf(std::span<const OptionValue> options, std::string_view key) {
    const auto found = std::ranges::find(options, key, &OptionValue::key);
    return found == options.end() ? std::string_view() : std::string_view(found->value);
}

}  // namespace reelgrid::kernels

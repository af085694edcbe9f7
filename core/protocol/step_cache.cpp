#include "core/protocol/step_cache.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <tuple>

#include "core/base/one_line.h"

namespace reelgrid::protocol {
namespace {

using Method = StepCache::Method;

constexpr int kMostPasses = 1000, kMostOrder = 4;
constexpr std::size_t kMostPowers = 16, kMostRatios = 10'000;
constexpr const char* kRecord = "record";
constexpr std::array kNames{std::pair{Method::TeaCache, "teacache"}, std::pair{Method::MagCache, "magcache"},
                            std::pair{Method::TaylorSeer, "taylorseer"}};
/// Of a name by itself.
constexpr double kUsualTeaCache = 0.1, kUsualMagCache = 0.12;
constexpr const char* kForms =
    "T, teacache[:T], magcache[:T[:SKIPS[:WHOLE]]] with T and WHOLE from 0 to 1, taylorseer[:N[:ORDER]] or "
    "record";

std::string nameOf(Method method) {
    const auto found = std::ranges::find(kNames, method, &std::pair<Method, const char*>::first);
    return found == kNames.end() ? std::string() : found->second;
}

/// The shortest text that means it.
std::string shortest(double number) {
    char digits[32];
    return {digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr};
}

/// The numbers behind a method's name: as few as say the same.
std::vector<double> numbersOf(const StepCache& cache) {
    const StepCache usual;
    switch (cache.method) {
        case Method::MagCache:
            if (cache.wholeShare != usual.wholeShare)
                return {cache.threshold, double(cache.mostSkips), cache.wholeShare};
            if (cache.mostSkips != usual.mostSkips) return {cache.threshold, double(cache.mostSkips)};
            return {cache.threshold};
        case Method::TaylorSeer:
            if (cache.order != usual.order) return {double(cache.interval), double(cache.order)};
            return {double(cache.interval)};
        case Method::Record:
            return {};
        default:
            return {cache.threshold};
    }
}

std::string joinedWith(char separator, const StepCache& cache) {
    std::string text = cache.method == Method::Record ? kRecord : nameOf(cache.method);
    for (const double number : numbersOf(cache))
        text += (text.empty() ? "" : std::string(1, separator)) + shortest(number);
    return text;
}

std::optional<double> numberFrom(std::string_view text) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The numbers between colons; nothing where one is none.
std::optional<std::vector<double>> numbersFrom(std::string_view text) {
    std::vector<double> numbers;
    while (true) {
        const auto colon = text.find(':');
        const auto number = numberFrom(text.substr(0, colon));
        if (!number) return std::nullopt;
        numbers.push_back(*number);
        if (colon == text.npos) return numbers;
        text.remove_prefix(colon + 1);
    }
}

bool isCount(double number, int least, int most) {
    return number >= least && number <= most && number == std::floor(number);
}

/// Puts numbers into the method's members; false where there are too many, or one is no count.
bool take(const std::vector<double>& numbers, StepCache& cache) {
    const std::size_t most = cache.method == Method::MagCache     ? 3
                             : cache.method == Method::TaylorSeer ? 2
                                                                  : 1;
    if (numbers.empty() || numbers.size() > most) return false;
    if (cache.method == Method::TaylorSeer) {
        if (!isCount(numbers[0], 1, kMostPasses)) return false;
        cache.interval = int(numbers[0]);
        if (numbers.size() > 1 && !isCount(numbers[1], 0, kMostOrder)) return false;
        if (numbers.size() > 1) cache.order = int(numbers[1]);
        return true;
    }
    cache.threshold = numbers[0];
    if (numbers.size() > 1 && !isCount(numbers[1], 1, kMostPasses)) return false;
    if (numbers.size() > 1) cache.mostSkips = int(numbers[1]);
    if (numbers.size() > 2) cache.wholeShare = numbers[2];
    return true;
}

bool isShare(double number) {
    return number >= 0 && number <= 1;
}

/// As problemOf() has it, of the coefficients.
std::optional<std::string> curveProblemOf(const StepCache& cache) {
    const std::size_t most = cache.method == Method::MagCache ? kMostRatios : kMostPowers;
    if (!cache.needsCurve() || cache.curve.size() > most ||
        !std::ranges::all_of(cache.curve, [](double x) { return std::isfinite(x); }))
        return textOf(cache) + " with " + std::to_string(cache.curve.size()) +
               " coefficients: finite ones, at most " + std::to_string(most) + ", of teacache or magcache";
    if (cache.method == Method::MagCache) {
        const auto wrong = std::ranges::find_if_not(cache.curve, isStepRatio);
        if (wrong != cache.curve.end())
            return textOf(cache) + " with the ratio " + shortest(*wrong) + ": " + kStepRatios;
    } else if (std::ranges::all_of(cache.curve, [](double x) { return x == 0; })) {
        return textOf(cache) + " with coefficients that are all 0: a polynomial that says something";
    }
    return std::nullopt;
}

}  // namespace

std::string textOf(const StepCache& cache) {
    return joinedWith(':', cache);
}

std::optional<std::string> problemOf(const StepCache& cache) {
    if (!isShare(cache.threshold)) return shortest(cache.threshold) + ": a value from 0 to 1";
    if (!isShare(cache.wholeShare)) return shortest(cache.wholeShare) + ": a value from 0 to 1";
    for (const auto& [value, least, most] : {std::tuple{cache.mostSkips, 1, kMostPasses},
                                             {cache.interval, 1, kMostPasses},
                                             {cache.order, 0, kMostOrder}})
        if (!isCount(value, least, most))
            return std::to_string(value) + ": a value from " + std::to_string(least) + " to " +
                   std::to_string(most);
    return cache.curve.empty() ? std::nullopt : curveProblemOf(cache);
}

bool isStepRatio(double ratio) {
    return ratio > 0 && ratio <= kMostStepRatio;
}

Result<StepCache> stepCacheFrom(const std::string& text) {
    const auto wrong = [&](const std::string& needed) {
        return Error{ErrorCode::BadUsage, "--step-cache " + inOneLine(text) + ": " + needed + " was needed"};
    };
    StepCache cache;
    if (text == kRecord) {
        cache.method = Method::Record;
        return cache;
    }
    std::string_view numbers = text;
    for (const auto& [method, name] : kNames)
        if (text == name) {
            cache.method = method;
            if (cache.needsCurve())
                cache.threshold = method == Method::TeaCache ? kUsualTeaCache : kUsualMagCache;
            return cache;
        }
    for (const auto& [method, name] : kNames)
        if (text.starts_with(std::string(name) + ":")) {
            cache.method = method;
            numbers.remove_prefix(std::string_view(name).size() + 1);
        }
    const auto read = numbersFrom(numbers);
    if (!read || !take(*read, cache)) return wrong(kForms);
    if (const auto problem = problemOf(cache))
        return wrong(cache.method == Method::FirstBlock ? "a value from 0 to 1" : kForms);
    return cache;
}

std::string stepCacheName(const StepCache& cache) {
    if (!cache.isOn() || cache.method == Method::Record) return {};
    return (cache.method == Method::FirstBlock ? "cache-" : "") + joinedWith('-', cache);
}

}  // namespace reelgrid::protocol

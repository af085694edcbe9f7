#include "core/protocol/step_cache_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNumbers = 10'000, kMostBytes = 1 << 20, kMostModelBytes = 4096;
/// Two changes are the fewest that a recording has.
constexpr std::size_t kFewestRatios = 3;

Result<std::vector<double>> numbersOf(const json* list, const std::string& what) {
    std::vector<double> numbers;
    if (list == nullptr) return numbers;
    for (const json& number : *list) {
        if (!number.is_number())
            return Error{ErrorCode::BadUsage, what + " " + showJson(number) + ": a number was needed"};
        numbers.push_back(number.get<double>());
    }
    return numbers;
}

/// The first number that isn't as it has to be: "magcache -1: what was needed".
template <class Fits>
std::optional<std::string> misfitIn(const char* key, const std::vector<double>& numbers, const Fits& fits,
                                    const std::string& needed) {
    const auto wrong = std::ranges::find_if_not(numbers, fits);
    if (wrong == numbers.end()) return std::nullopt;
    return std::string(key) + " " + showJson(*wrong) + ": " + needed;
}

}  // namespace

json toJson(const StepCache& cache) {
    if (!cache.curve.empty()) {
        json object = {{"cache", textOf(cache)}, {"curve", cache.curve}};
        if (!cache.curveModel.empty()) object["model"] = cache.curveModel;
        return object;
    }
    if (cache.method == StepCache::Method::FirstBlock) return cache.threshold;
    return textOf(cache);
}

Result<StepCache> stepCacheFromJson(const json& value) {
    if (value.is_number()) return StepCache(value.get<double>());
    if (value.is_string()) return stepCacheFrom(value.get<std::string>());
    if (!value.is_object())
        return Error{ErrorCode::BadUsage,
                     "step_cache " + showJson(value) + ": a number, a text or an object was needed"};
    FieldReader fields(value, "step_cache", ErrorCode::BadUsage);
    std::string text;
    fields.requireText("cache", text, 256);
    const json* curve = fields.array("curve", kMostNumbers, true);
    std::string model;
    fields.text("model", model, kMostModelBytes);
    if (auto read = fields.finish(); !read) return read.error();
    auto cache = stepCacheFrom(text);
    if (!cache) return cache;
    auto numbers = numbersOf(curve, "step_cache: curve");
    if (!numbers) return numbers.error();
    cache->curve = *std::move(numbers);
    cache->curveModel = std::move(model);
    if (const auto problem = problemOf(*cache))
        return Error{ErrorCode::BadUsage, "step_cache " + *problem + " was needed"};
    return cache;
}

json toJson(const StepCacheCurves& curves) {
    return {{"model", curves.model},
            {"steps", curves.steps},
            {"teacache", curves.teacache},
            {"magcache", curves.magcache},
            {"embedding_change", curves.embedding},
            {"added_change", curves.added}};
}

std::optional<std::string> problemOf(const StepCacheCurves& curves) {
    const auto isFinite = [](double x) { return std::isfinite(x); };
    const auto isChange = [](double x) { return std::isfinite(x) && x >= 0; };
    if (auto wrong = misfitIn("teacache", curves.teacache, isFinite, "a finite number")) return wrong;
    if (auto wrong = misfitIn("magcache", curves.magcache, isStepRatio, kStepRatios)) return wrong;
    for (const auto& [key, list] :
         {std::pair{"embedding_change", &curves.embedding}, {"added_change", &curves.added}})
        if (auto wrong = misfitIn(key, *list, isChange, "a change, 0 or more")) return wrong;
    if (!curves.teacache.empty() && std::ranges::all_of(curves.teacache, [](double x) { return x == 0; }))
        return "teacache " + showJson(curves.teacache) + ": a polynomial that isn't 0 everywhere";
    const std::size_t ratios = curves.magcache.size();
    if (ratios > 0 && ratios < kFewestRatios)
        return "magcache has " + std::to_string(ratios) + " entries: one for each of at least " +
               std::to_string(kFewestRatios) + " steps";
    if (ratios > 0 && curves.steps > 0 && ratios != static_cast<std::size_t>(curves.steps))
        return "steps " + std::to_string(curves.steps) + ": as many as magcache has entries, " +
               std::to_string(ratios) + ",";
    if (!curves.embedding.empty() && !curves.added.empty() && curves.embedding.size() != curves.added.size())
        return "added_change has " + std::to_string(curves.added.size()) +
               " entries: as many as embedding_change, " + std::to_string(curves.embedding.size()) + ",";
    return std::nullopt;
}

Result<StepCacheCurves> readStepCacheCurves(const std::filesystem::path& file) {
    const auto document = readJsonObject(file, kMostBytes, RepeatedKeys::Refused);
    if (!document) return document.error();
    StepCacheCurves curves;
    FieldReader fields(*document, file.string(), ErrorCode::InvalidData);
    fields.text("model", curves.model, kMostModelBytes);
    fields.integer("steps", curves.steps, 1);
    struct List {
        const char* key;
        const json* numbers;
        std::vector<double>* target;
    };
    std::vector<List> lists;
    for (const auto& [key, list] :
         {std::pair{"teacache", &curves.teacache}, std::pair{"magcache", &curves.magcache},
          std::pair{"embedding_change", &curves.embedding}, std::pair{"added_change", &curves.added}})
        lists.push_back({key, fields.array(key, kMostNumbers), list});
    if (auto read = fields.finish(); !read) return read.error();
    for (const auto& [key, list, target] : lists) {
        auto numbers = numbersOf(list, file.string() + ": " + key);
        if (!numbers) return Error{ErrorCode::InvalidData, numbers.error().message};
        *target = *std::move(numbers);
    }
    if (const auto problem = problemOf(curves))
        return Error{ErrorCode::InvalidData, file.string() + ": " + *problem + " was needed"};
    return curves;
}

Result<StepCache> stepCacheFromOption(const std::string& text) {
    const auto at = text.find('@');
    const std::string shown = "--step-cache " + inOneLine(text);
    if (at == 0)
        return Error{ErrorCode::BadUsage,
                     shown + ": teacache or magcache before @ was needed, the coefficients' file behind it"};
    if (at != text.npos && at + 1 == text.size())
        return Error{ErrorCode::BadUsage, shown + ": the coefficients' file behind @ was needed"};
    auto cache = stepCacheFrom(text.substr(0, at));
    if (!cache || at == text.npos) return cache;
    const std::string file = text.substr(at + 1);
    if (!cache->needsCurve())
        return Error{ErrorCode::BadUsage, shown + ": teacache or magcache before @ was needed"};
    const auto curves = readStepCacheCurves(file);
    if (!curves) return curves.error().in("--step-cache " + text.substr(0, at));
    cache->curve = cache->method == StepCache::Method::TeaCache ? curves->teacache : curves->magcache;
    if (cache->curve.empty())
        return Error{ErrorCode::InvalidData, shown +
                                                 ": the file has no coefficients of it; those of tune "
                                                 "--step-cache record were needed"};
    cache->curveModel = curves->model;
    if (const auto problem = problemOf(*cache))
        return Error{ErrorCode::InvalidData, shown + ": " + *problem + " was needed"};
    return cache;
}

}  // namespace reelgrid::protocol

#include "core/protocol/step_cache_json.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNumbers = 10'000, kMostBytes = 1 << 20;

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

}  // namespace

json toJson(const StepCache& cache) {
    if (!cache.curve.empty()) return {{"cache", textOf(cache)}, {"curve", cache.curve}};
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
    if (auto read = fields.finish(); !read) return read.error();
    auto cache = stepCacheFrom(text);
    if (!cache) return cache;
    auto numbers = numbersOf(curve, "step_cache: curve");
    if (!numbers) return numbers.error();
    cache->curve = *std::move(numbers);
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

Result<StepCacheCurves> readStepCacheCurves(const std::filesystem::path& file) {
    const auto document = readJsonObject(file, kMostBytes);
    if (!document) return document.error();
    StepCacheCurves curves;
    FieldReader fields(*document, file.string(), ErrorCode::InvalidData);
    fields.text("model", curves.model);
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
    return curves;
}

Result<StepCache> stepCacheFromOption(const std::string& text) {
    const auto at = text.find('@');
    auto cache = stepCacheFrom(text.substr(0, at));
    if (!cache || at == text.npos) return cache;
    const std::string file = text.substr(at + 1);
    if (!cache->needsCurve())
        return Error{ErrorCode::BadUsage,
                     "--step-cache " + text + ": teacache or magcache before @ was needed"};
    const auto curves = readStepCacheCurves(file);
    if (!curves) return curves.error().in("--step-cache " + text.substr(0, at));
    cache->curve = cache->method == StepCache::Method::TeaCache ? curves->teacache : curves->magcache;
    if (cache->curve.empty())
        return Error{ErrorCode::InvalidData, "--step-cache " + text +
                                                 ": the file has no coefficients of it; those of tune "
                                                 "--step-cache record were needed"};
    if (const auto problem = problemOf(*cache))
        return Error{ErrorCode::InvalidData, "--step-cache " + text + ": " + *problem + " was needed"};
    return cache;
}

}  // namespace reelgrid::protocol

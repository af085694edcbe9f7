#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol/step_cache.h"

namespace reelgrid::protocol {

/// First-block caching is its number, the others their text; with a curve of its own an object:
/// {"cache": "teacache:0.1", "curve": [...], "model": "demo"}, the model where it is known.
nlohmann::json toJson(const StepCache& cache);
/// BadUsage naming the value and what was needed. A number out of its range is left to problemOf().
Result<StepCache> stepCacheFromJson(const nlohmann::json& value);

/// What `tune --step-cache record` found out about a model.
struct StepCacheCurves {
    std::string model{};             ///< its id
    int steps = 0;                   ///< of the render
    std::vector<double> teacache{};  ///< StepCache::curve of it
    std::vector<double> magcache{};  ///< likewise
    /// Of each step but the first: what the polynomial goes through.
    std::vector<double> embedding{}, added{};
};

nlohmann::json toJson(const StepCacheCurves& curves);
/// What no render's curves can be, "key value: what" as messages have it with what was needed; nothing where
/// they are fine. Whose they are is not looked at.
std::optional<std::string> problemOf(const StepCacheCurves& curves);
/// InvalidData naming the file and what was needed; a key that is there twice is refused.
Result<StepCacheCurves> readStepCacheCurves(const std::filesystem::path& file);

/// As --step-cache takes it: stepCacheFrom()'s, and FILE of a curve behind an @, with the model that the file
/// says.
Result<StepCache> stepCacheFromOption(const std::string& text);

}  // namespace reelgrid::protocol

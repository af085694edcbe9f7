#include "core/catalog/denoising_steps.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/families/model_index.h"

namespace reelgrid::catalog {
namespace {

constexpr const char* kPndm = "pndm";

bool isPndm(const RenderSettings& settings, const families::ModelInfo& model) {
    if (std::ranges::find(model.schedulers, kPndm) == model.schedulers.end()) return false;
    return settings.scheduler ? *settings.scheduler == kPndm : storedSampler(model) == "PNDMScheduler";
}

}  // namespace

std::string storedSampler(const families::ModelInfo& model) {
    const auto index = families::ModelIndex::read(model.source());
    if (!index) return {};
    const auto stored = index->config("scheduler", "scheduler_config.json");
    if (!stored) return {};
    const auto name = stored->find("_class_name");
    return name != stored->end() && name->is_string() ? name->get<std::string>() : std::string();
}

int denoisingSteps(const RenderSettings& settings, const families::ModelInfo& model) {
    const bool twice = settings.numInferenceSteps > 1 && isPndm(settings, model);
    return (settings.numInferenceSteps + (twice ? 1 : 0)) * std::max(1, settings.freeInit);
}

}  // namespace reelgrid::catalog

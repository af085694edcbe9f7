#include "core/pipeline/family_registry.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/result.h"
#include "core/models/cogvideox/memory_forecast.h"
#include "core/models/cogvideox/video_model.h"
#include "core/models/wan/memory_forecast.h"
#include "core/models/wan/parameter_check.h"
#include "core/models/wan/video_model.h"
#include "core/protocol/lora_choice.h"
#include "core/safetensors/header.h"

namespace reelgrid::pipeline {
namespace {

struct Loader {
    std::string_view family;
    std::unique_ptr<VideoModel> (*load)(const families::ModelInfo& model, const LoadOptions& options);
    /// Null: the family predicts none.
    MemoryForecast (*forecast)(const families::ModelInfo& model, const catalog::RenderSettings& settings,
                               const LoadOptions& options, std::uint64_t available) = nullptr;
    /// Null: headers alone.
    ModelFaults (*faults)(const families::ModelInfo& model) = nullptr;
};

/// One line a model family; core/families says the rest of it.
constexpr std::array kLoaders{
    Loader{"wan2.1", models::wan::loadVideoModel, models::wan::forecastMemory, models::wan::findFaults},
    Loader{"wan2.1-i2v", models::wan::loadVideoModel, models::wan::forecastMemory, models::wan::findFaults},
    Loader{"wan2.2", models::wan::loadVideoModel, models::wan::forecastMemory, models::wan::findFaults},
    Loader{"wan2.2-i2v", models::wan::loadVideoModel, models::wan::forecastMemory, models::wan::findFaults},
    Loader{"wan2.2-ti2v", models::wan::loadVideoModel, models::wan::forecastMemory, models::wan::findFaults},
    Loader{"cogvideox", models::cogvideox::loadVideoModel, models::cogvideox::forecastMemory},
    Loader{"cogvideox-i2v", models::cogvideox::loadVideoModel, models::cogvideox::forecastMemory},
};

at::ScalarType scalarTypeOf(const std::string& dtype) {
    if (dtype == "fp32") return at::kFloat;
    if (dtype == "bf16") return at::kBFloat16;
    if (dtype == "fp16") return at::kHalf;
    throw Failure(ErrorCode::Unsupported, "dtype " + dtype + ": fp32, bf16 or fp16 was needed");
}

std::vector<weights::Lora> lorasOf(const std::vector<std::string>& texts) {
    std::vector<weights::Lora> loras;
    for (const std::string& text : texts) {
        const auto choice = protocol::LoraChoice::from(text).value();
        loras.push_back({choice.file, choice.scale});
    }
    return loras;
}

LoadOptions optionsOf(const LoadChoices& choices, const execution::Execution& execution) {
    return {.dtype = scalarTypeOf(choices.dtype),
            .vaeDtype = scalarTypeOf(choices.vaeDtype),
            .execution = execution,
            .loras = lorasOf(choices.lora),
            .secondLoras = lorasOf(choices.lora2),
            .offload = choices.offload,
            .encoders = choices.encoders,
            .gemms = choices.useFp8Gemms ? Gemms::Fp8 : Gemms::AsDtype,
            .timeGemms = choices.useBf16TeGemms ? TimeGemms::Bf16 : TimeGemms::Fp32};
}

}  // namespace

std::unique_ptr<VideoModel> loadModel(const families::ModelInfo& model, const LoadChoices& choices,
                                      const execution::Execution& execution) {
    const auto loader = std::ranges::find(kLoaders, model.family, &Loader::family);
    if (loader == kLoaders.end())
        throw Failure(ErrorCode::Unsupported,
                      "model " + model.id + ": family " + model.family + " can't be run");
    return loader->load(model, optionsOf(choices, execution));
}

std::optional<MemoryForecast> forecastMemory(const families::ModelInfo& model, const LoadChoices& choices,
                                             const catalog::RenderSettings& settings,
                                             const execution::Execution& execution, std::uint64_t available) {
    const auto loader = std::ranges::find(kLoaders, model.family, &Loader::family);
    if (loader == kLoaders.end() || loader->forecast == nullptr) return std::nullopt;
    return loader->forecast(model, settings, optionsOf(choices, execution), available);
}

ModelFaults findFaults(const families::ModelInfo& model) {
    const auto loader = std::ranges::find(kLoaders, model.family, &Loader::family);
    if (loader != kLoaders.end() && loader->faults != nullptr) return loader->faults(model);
    ModelFaults found;
    for (const families::ComponentInfo& component : model.components)
        for (const std::filesystem::path& file : component.files) {
            if (file.extension() != ".safetensors") continue;
            const auto tensors = safetensors::readHeaderOf(file);
            if (tensors)
                found.tensors += tensors->size();
            else
                found.faults.push_back(tensors.error().message);
        }
    return found;
}

bool canLoad(std::string_view family) {
    return std::ranges::find(kLoaders, family, &Loader::family) != kLoaders.end();
}

}  // namespace reelgrid::pipeline

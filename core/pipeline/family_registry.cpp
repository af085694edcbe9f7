#include "core/pipeline/family_registry.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/result.h"
#include "core/families/has_component.h"
#include "core/models/animatediff/family_model.h"
#include "core/models/cogvideox/family_model.h"
#include "core/models/sd35/family_model.h"
#include "core/models/svd/family_model.h"
#include "core/models/wan/family_model.h"
#include "core/pipeline/zero_weights.h"
#include "core/protocol/lora_choice.h"

namespace reelgrid::pipeline {
namespace {

/// One line a family's folder; core/families says what its families are.
const denoising::FamilyModel* modelOf(std::string_view family) {
    static const std::array kModels{models::wan::familyModel(), models::cogvideox::familyModel(),
                                    models::animatediff::familyModel(), models::sd35::familyModel(),
                                    models::svd::familyModel()};
    const auto found = std::ranges::find_if(kModels, [&](const denoising::FamilyModel& model) {
        return std::ranges::find(model.families, family) != model.families.end();
    });
    return found == kModels.end() ? nullptr : &*found;
}

/// Throws Failure(Unsupported) naming the model and its family.
const denoising::FamilyModel& requireModelOf(const families::ModelInfo& model) {
    if (const denoising::FamilyModel* const family = modelOf(model.family)) return *family;
    throw Failure(ErrorCode::Unsupported, "model " + model.id + ": family " + model.family + " can't be run");
}

at::ScalarType scalarTypeOf(const std::string& dtype) {
    if (dtype == "fp32") return at::kFloat;
    if (dtype == "bf16") return at::kBFloat16;
    if (dtype == "fp16") return at::kHalf;
    throw Failure(ErrorCode::Unsupported, "dtype " + dtype + ": fp32, bf16 or fp16 was needed");
}

std::vector<weights::Lora> lorasOf(const std::vector<std::string>& texts) {
    std::vector<weights::Lora> loras;
    if (protocol::isNoLora(texts)) return loras;
    for (const std::string& text : texts) {
        const auto choice = protocol::LoraChoice::from(text).value();
        loras.push_back({choice.file, choice.scale});
    }
    return loras;
}

/// None where the model has no second expert.
std::vector<weights::Lora> secondLorasOf(const families::ModelInfo& model, const LoadChoices& choices) {
    if (!families::hasComponent(model, "transformer_2")) return {};
    return lorasOf(choices.lora2.empty() ? choices.lora : choices.lora2);
}

denoising::LoadOptions optionsOf(const families::ModelInfo& model, const LoadChoices& choices,
                                 const execution::Execution& execution) {
    return {.dtype = scalarTypeOf(choices.dtype),
            .vaeDtype = scalarTypeOf(choices.vaeDtype),
            .execution = execution,
            .loras = lorasOf(choices.lora),
            .secondLoras = secondLorasOf(model, choices),
            .offload = choices.offload,
            .weightShards = choices.weightShards,
            .encoders = choices.encoders,
            .gemms = choices.linear == protocol::kLinearFp8    ? denoising::Gemms::Fp8
                     : choices.linear == protocol::kLinearInt8 ? denoising::Gemms::Int8
                                                               : denoising::Gemms::AsDtype,
            .timeGemms = choices.useBf16TeGemms ? denoising::TimeGemms::Bf16 : denoising::TimeGemms::Fp32};
}

}  // namespace

std::unique_ptr<denoising::VideoModel> loadModel(const families::ModelInfo& model, const LoadChoices& choices,
                                                 const execution::Execution& execution) {
    auto loaded = requireModelOf(model).load(model, optionsOf(model, choices, execution));
    std::vector<std::string> lines = untakenTensors(model);
    std::vector<std::string> loras = choices.lora;
    if (!protocol::isNoLora(choices.lora2))
        loras.insert(loras.end(), choices.lora2.begin(), choices.lora2.end());
    for (std::string& line : zeroWeights(model, loras)) lines.push_back(std::move(line));
    loaded->noteOddTensors(std::move(lines));
    return loaded;
}

std::optional<MemoryForecast> forecastMemory(const families::ModelInfo& model, const LoadChoices& choices,
                                             const catalog::RenderSettings& settings,
                                             const execution::Execution& execution, std::uint64_t available) {
    const denoising::FamilyModel* const family = modelOf(model.family);
    if (family == nullptr || family->forecast == nullptr) return std::nullopt;
    return family->forecast(model, settings, optionsOf(model, choices, execution), available);
}

std::optional<parallel::PassWork> passWork(const families::ModelInfo& model,
                                           const catalog::RenderSettings& settings) {
    const denoising::FamilyModel* const family = modelOf(model.family);
    if (family == nullptr || family->work == nullptr) return std::nullopt;
    return family->work(model, settings);
}

denoising::ModelFaults findFaults(const families::ModelInfo& model) {
    return denoising::faultsOf(requireModelOf(model).checks(model));
}

std::vector<std::string> untakenTensors(const families::ModelInfo& model) {
    return denoising::untakenTensors(requireModelOf(model).checks(model));
}

bool canLoad(std::string_view family) {
    return modelOf(family) != nullptr;
}

}  // namespace reelgrid::pipeline

#include "core/models/sd35/parameter_check.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/denoising/component_checks.h"
#include "core/families/model_index.h"
#include "core/models/sd35/original_names.h"
#include "core/models/sd35/prompts.h"
#include "core/models/sd35/temporal_module.h"
#include "core/models/sd35/transformer.h"
#include "core/text/encoders/clip_text_encoder.h"
#include "core/text/encoders/t5_encoder.h"
#include "core/vae/image/image_vae.h"
#include "core/vae/image/names.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::sd35 {
namespace {

using Others = denoising::ComponentChecks::Others;
using weights::OpenWeights;
using weights::WeightScope;

weights::ModelConfig checkedConfig(const families::ModelIndex& index, const std::string& component) {
    return {index.config(component).value(), (index.pathOf(component) / "config.json").string()};
}

/// Single files have their VAE and text encoders below these.
bool isOfOtherPart(const std::string& tensor) {
    constexpr std::array<std::string_view, 4> kOthers{"first_stage_model.", "text_encoders.",
                                                      "cond_stage_model.", "conditioner."};
    return std::ranges::any_of(kOthers, [&](std::string_view other) { return tensor.starts_with(other); });
}

void takeTransformer(const families::ModelIndex& index, const OpenWeights& open) {
    const auto config = Sd35TransformerConfig::from(checkedConfig(index, "transformer"));
    const auto source = transformerNames(open(index.pathOf("transformer")).weights, config.numLayers);
    const Sd35Transformer taken(config, WeightScope(*source, at::kFloat));
}

void takeClip(const families::ModelIndex& index, const std::string& component, const OpenWeights& open) {
    const auto file = open(index.pathOf(component));
    const auto config = text::ClipTextConfig::from(checkedConfig(index, component));
    requireProjection(*file.weights, index.pathOf(component), config);
    const text::ClipTextEncoder taken(config, WeightScope(*file.weights, at::kFloat));
}

void takeT5(const families::ModelIndex& index, const std::string& component, const OpenWeights& open) {
    const auto file = open(index.pathOf(component));
    const text::T5Encoder taken(text::T5Config::read(checkedConfig(index, component)),
                                WeightScope(*file.weights, at::kFloat));
}

void takeVae(const families::ModelIndex& index, const OpenWeights& open) {
    const auto config = vae::image::ImageVaeConfig::from(checkedConfig(index, "vae"));
    const auto source = vae::image::imageVaeNames(open(index.pathOf("vae")).weights,
                                                  std::int64_t(config.blockChannels.size()));
    const vae::image::ImageVae taken(WeightScope(*source, at::kFloat), config);
}

void takeTemporal(const families::ModelIndex& index, const OpenWeights& open) {
    const auto file = open(index.pathOf("temporal_module"));
    const TemporalModule taken(TemporalConfig::from(checkedConfig(index, "temporal_module")),
                               WeightScope(*file.weights, at::kFloat));
}

}  // namespace

denoising::ModelFaults findFaults(const families::ModelInfo& model) {
    const auto index = families::ModelIndex::read(model.source()).value();
    denoising::ComponentChecks checks;
    for (const families::ComponentInfo& component : model.components) {
        const std::string& name = component.name;
        const auto check = [&](const denoising::ComponentChecks::Take& take) {
            checks.check(Others::Allowed, take);
        };
        if (name == "transformer")
            checks.check(
                Others::Faults, [&](const OpenWeights& open) { takeTransformer(index, open); },
                isOfOtherPart);
        if (name == "text_encoder" || name == "text_encoder_2")
            check([&](const OpenWeights& open) { takeClip(index, name, open); });
        if (name == "text_encoder_3") check([&](const OpenWeights& open) { takeT5(index, name, open); });
        if (name == "vae") check([&](const OpenWeights& open) { takeVae(index, open); });
        if (name == "temporal_module") check([&](const OpenWeights& open) { takeTemporal(index, open); });
    }
    return checks.found();
}

std::vector<std::string> untakenTensors(const families::ModelInfo& model) {
    const auto index = families::ModelIndex::read(model.source()).value();
    return denoising::untakenTensors([&](const OpenWeights& open) { takeTransformer(index, open); },
                                     isOfOtherPart);
}

}  // namespace reelgrid::models::sd35

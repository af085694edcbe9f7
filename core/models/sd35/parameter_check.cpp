#include "core/models/sd35/parameter_check.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

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

using Others = denoising::ComponentCheck::Others;
using weights::OpenWeights;
using weights::WeightScope;

weights::ModelConfig checkedConfig(const families::ModelIndex& index, const std::string& component) {
    return {index.config(component).value(), (index.pathOf(component) / "config.json").string()};
}

/// Single files have their VAE and text encoders below these.
bool isOfOtherPart(const std::string& /*file*/, const std::string& tensor) {
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

/// A folder has the VAE's tensors alone, a file may have a whole model's.
Others othersBesideVae(const std::filesystem::path& path) {
    std::error_code failed;
    return std::filesystem::is_directory(path, failed) ? Others::Named : Others::Allowed;
}

}  // namespace

denoising::ComponentChecks componentChecks(const families::ModelInfo& model) {
    const auto index = families::ModelIndex::read(model.source()).value();
    denoising::ComponentChecks checks;
    const auto add = [&](Others others, const auto& take, const auto&... more) {
        checks.push_back({.take = [=](const OpenWeights& open) { take(index, more..., open); },
                          .others = others,
                          .isElsewhere = isOfOtherPart});
    };
    for (const families::ComponentInfo& component : model.components) {
        const std::string& name = component.name;
        if (name == "transformer") add(Others::Named, takeTransformer);
        if (name == "text_encoder" || name == "text_encoder_2") add(Others::Allowed, takeClip, name);
        if (name == "text_encoder_3") add(Others::Allowed, takeT5, name);
        if (name == "vae") add(othersBesideVae(index.pathOf(name)), takeVae);
        if (name == "temporal_module") add(Others::Named, takeTemporal);
    }
    return checks;
}

}  // namespace reelgrid::models::sd35

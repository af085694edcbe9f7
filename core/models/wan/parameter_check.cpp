#include "core/models/wan/parameter_check.h"

#include "core/denoising/component_checks.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/transformer.h"
#include "core/text/encoders/umt5_encoder.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vision/clip_vision_encoder.h"

namespace reelgrid::models::wan {
namespace {

using Others = denoising::ComponentChecks::Others;

void takeTransformer(const Checkpoint& files, const std::string& component) {
    const auto weights = files.transformer(component);
    const WanTransformer loaded(WanTransformerConfig::from(files.config(component)),
                                weights::WeightScope(*weights, at::kFloat));
}

}  // namespace

denoising::ModelFaults findFaults(const families::ModelInfo& model) {
    denoising::ComponentChecks checks;
    const auto check = [&](Others others, const std::function<void(const Checkpoint&)>& take) {
        checks.check(others,
                     [&](const weights::OpenWeights& open) { take(Checkpoint(model.source(), open)); });
    };
    for (const families::ComponentInfo& component : model.components) {
        const std::string& name = component.name;
        if (name.starts_with("transformer"))
            check(Others::Faults, [&](const Checkpoint& files) { takeTransformer(files, name); });
        if (name == "text_encoder")
            check(Others::Allowed, [](const Checkpoint& files) {
                const Checkpoint::TextEncoder text = files.textEncoder();
                const text::Umt5Encoder loaded(text.config, weights::WeightScope(*text.weights, at::kFloat));
            });
        if (name == "vae")
            check(Others::Allowed, [](const Checkpoint& files) {
                const vae::wan21::VaeCheckpoint vae = files.vae();
                const vae::wan21::WanVae loaded(weights::WeightScope(*vae.weights, at::kFloat), vae.config);
            });
        if (name == "image_encoder")
            check(Others::Allowed, [](const Checkpoint& files) {
                const Checkpoint::ImageEncoder image = files.imageEncoder();
                const vision::ClipVisionEncoder loaded(image.config,
                                                       weights::WeightScope(*image.weights, at::kFloat));
            });
        if (name == "tokenizer")
            check(Others::Allowed, [](const Checkpoint& files) { (void)files.tokenizer(); });
    }
    return checks.found();
}

std::vector<std::string> untakenTensors(const families::ModelInfo& model) {
    return denoising::untakenTensors([&](const weights::OpenWeights& open) {
        const Checkpoint files(model.source(), open);
        for (const families::ComponentInfo& component : model.components)
            if (component.name.starts_with("transformer")) takeTransformer(files, component.name);
    });
}

}  // namespace reelgrid::models::wan

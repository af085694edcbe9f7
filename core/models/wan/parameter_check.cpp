#include "core/models/wan/parameter_check.h"

#include <string>
#include <utility>

#include "core/models/wan/checkpoint.h"
#include "core/models/wan/transformer.h"
#include "core/text/encoders/umt5_encoder.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vision/clip_vision_encoder.h"

namespace reelgrid::models::wan {
namespace {

using Others = denoising::ComponentCheck::Others;

void takeTransformer(const Checkpoint& files, const std::string& component) {
    const auto weights = files.transformer(component);
    const WanTransformer loaded(WanTransformerConfig::from(files.config(component)),
                                weights::WeightScope(*weights, at::kFloat));
}

}  // namespace

denoising::ComponentChecks componentChecks(const families::ModelInfo& model) {
    denoising::ComponentChecks checks;
    const auto add = [&](Others others, std::function<void(const Checkpoint&)> take) {
        checks.push_back({.take = [source = model.source(), take = std::move(take)](
                                      const weights::OpenWeights& open) { take(Checkpoint(source, open)); },
                          .others = others});
    };
    for (const families::ComponentInfo& component : model.components) {
        const std::string name = component.name;
        if (name.starts_with("transformer"))
            add(Others::Named, [name](const Checkpoint& files) { takeTransformer(files, name); });
        if (name == "text_encoder")
            add(Others::Allowed, [](const Checkpoint& files) {
                const Checkpoint::TextEncoder text = files.textEncoder();
                const text::Umt5Encoder loaded(text.config, weights::WeightScope(*text.weights, at::kFloat));
            });
        if (name == "vae")
            add(Others::Named, [](const Checkpoint& files) {
                const vae::wan21::VaeCheckpoint vae = files.vae();
                const vae::wan21::WanVae loaded(weights::WeightScope(*vae.weights, at::kFloat), vae.config);
            });
        if (name == "image_encoder")
            add(Others::Allowed, [](const Checkpoint& files) {
                const Checkpoint::ImageEncoder image = files.imageEncoder();
                const vision::ClipVisionEncoder loaded(image.config,
                                                       weights::WeightScope(*image.weights, at::kFloat));
            });
        if (name == "tokenizer")
            add(Others::Allowed, [](const Checkpoint& files) { (void)files.tokenizer(); });
    }
    return checks;
}

}  // namespace reelgrid::models::wan

#include "core/models/wan/parameter_check.h"

#include <functional>

#include "core/base/one_line.h"
#include "core/base/result.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/transformer.h"
#include "core/text/encoders/umt5_encoder.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vision/clip_vision_encoder.h"
#include "core/weights/parameter_check.h"

namespace reelgrid::models::wan {
namespace {

using denoising::ModelFaults;

/// What else than a component's parameters its file may have.
enum class Others { Allowed, Faults };

/// Has `load` take one component's parameters, and adds what is wrong with them.
void check(ModelFaults& found, const families::ModelInfo& model, Others others,
           const std::function<void(const Checkpoint&)>& load) {
    weights::ParameterCheck parameters;
    try {
        load(Checkpoint(model.source(), parameters.open()));
    } catch (const Failure& failure) {
        found.faults.push_back(failure.error().message);
        return;
    }
    found.tensors += parameters.tensors();
    found.faults.insert(found.faults.end(), parameters.faults().begin(), parameters.faults().end());
    if (others == Others::Allowed) return;
    for (const auto& [file, tensors] : parameters.untaken())
        for (const std::string& name : tensors)
            found.faults.push_back(file + ": tensor " + nameInOneLine(name) +
                                   " belongs to no layer of this model");
}

void takeTransformer(const Checkpoint& files, const std::string& component) {
    const auto weights = files.transformer(component);
    const WanTransformer loaded(WanTransformerConfig::from(files.config(component)),
                                weights::WeightScope(*weights, at::kFloat));
}

}  // namespace

ModelFaults findFaults(const families::ModelInfo& model) {
    ModelFaults found;
    for (const families::ComponentInfo& component : model.components) {
        const std::string& name = component.name;
        if (name.starts_with("transformer"))
            check(found, model, Others::Faults,
                  [&](const Checkpoint& files) { takeTransformer(files, name); });
        if (name == "text_encoder")
            check(found, model, Others::Allowed, [](const Checkpoint& files) {
                const Checkpoint::TextEncoder text = files.textEncoder();
                const text::Umt5Encoder loaded(text.config, weights::WeightScope(*text.weights, at::kFloat));
            });
        if (name == "vae")
            check(found, model, Others::Allowed, [](const Checkpoint& files) {
                const vae::wan21::VaeCheckpoint vae = files.vae();
                const vae::wan21::WanVae loaded(weights::WeightScope(*vae.weights, at::kFloat), vae.config);
            });
        if (name == "image_encoder")
            check(found, model, Others::Allowed, [](const Checkpoint& files) {
                const Checkpoint::ImageEncoder image = files.imageEncoder();
                const vision::ClipVisionEncoder loaded(image.config,
                                                       weights::WeightScope(*image.weights, at::kFloat));
            });
        if (name == "tokenizer")
            check(found, model, Others::Allowed, [](const Checkpoint& files) { (void)files.tokenizer(); });
    }
    return found;
}

std::vector<std::string> untakenTensors(const families::ModelInfo& model) {
    weights::ParameterCheck parameters;
    const Checkpoint files(model.source(), parameters.open());
    for (const families::ComponentInfo& component : model.components)
        if (component.name.starts_with("transformer")) takeTransformer(files, component.name);
    std::vector<std::string> lines;
    for (const auto& [file, tensors] : parameters.untaken()) {
        const bool isOne = tensors.size() == 1;
        lines.push_back(file + ": " + std::to_string(tensors.size()) +
                        (isOne ? " tensor belongs" : " tensors belong") +
                        " to no layer of this model and had no effect (" + nameInOneLine(tensors.front()) +
                        (isOne ? ")" : ", …)"));
    }
    return lines;
}

}  // namespace reelgrid::models::wan

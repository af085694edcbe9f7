#include "core/models/animatediff/lora_names.h"

#include <algorithm>
#include <string_view>

#include "core/models/animatediff/names.h"

namespace reelgrid::models::animatediff {
namespace {

constexpr std::string_view kWeight = ".weight";

std::string underscored(std::string name) {
    std::ranges::replace(name, '.', '_');
    return name;
}

/// What a module is called by a naming of parameters.
template <class Naming>
std::string moduleIn(const std::string& module, const Naming& naming) {
    std::string name = naming(module + std::string(kWeight));
    name.resize(name.size() - kWeight.size());
    return name;
}

/// "attn1.processor.to_q_lora" of "attn1.to_q"; empty for what is no product of attention.
std::string processorName(const std::string& module) {
    constexpr std::string_view kTo = ".to_", kOut = "to_out.0";
    const auto at = module.rfind(kTo);
    if (at == module.npos) return {};
    const std::string product = module.substr(at + 1);
    return module.substr(0, at) + ".processor." + (product == kOut ? "to_out" : product) + "_lora";
}

/// diffusers' names and peft's of a module of what its pipelines call "unet".
std::vector<std::string> unetNames(const std::string& module) {
    // "….lora" is what diffusers' training scripts for Stable Diffusion write, then "down" and "up".
    std::vector<std::string> names{module,
                                   "unet." + module,
                                   "base_model.model." + module,
                                   "lora_unet_" + underscored(module),
                                   module + ".lora",
                                   "unet." + module + ".lora"};
    if (const std::string processor = processorName(module); !processor.empty())
        names.insert(names.end(), {processor, "unet." + processor});
    return names;
}

LoraPart partOf(const std::string& tensor) {
    if (tensor.starts_with("text_encoder.") || tensor.starts_with("lora_te")) return LoraPart::Text;
    return tensor.find("motion_modules") == tensor.npos ? LoraPart::Image : LoraPart::Motion;
}

}  // namespace

weights::LoraShare loraShare(LoraPart part) {
    return [part](const std::string& tensor) { return partOf(tensor) == part; };
}

weights::LoraNames imageLoraNames(const UnetConfig& config) {
    return [layers = config.layersPerBlock,
            blocks = static_cast<std::int64_t>(config.blocks())](const std::string& module) {
        const std::string authors =
            moduleIn(module, [&](const std::string& name) { return ldmUnetName(name, layers, blocks); });
        std::vector<std::string> names = unetNames(module);
        names.insert(names.end(), {"lora_unet_" + underscored(authors), "diffusion_model." + authors});
        return names;
    };
}

std::vector<std::string> motionLoraNames(const std::string& module) {
    std::vector<std::string> names = unetNames(module);
    const std::string authors = moduleIn(module, authorsMotionName);
    names.push_back(authors);
    if (const std::string processor = processorName(authors); !processor.empty()) names.push_back(processor);
    return names;
}

std::vector<std::string> textLoraNames(const std::string& module) {
    constexpr std::string_view kModel = "text_model.";
    const std::string bare = module.starts_with(kModel) ? module.substr(kModel.size()) : module;
    const std::string whole = std::string(kModel) + bare;
    return {"text_encoder." + whole, "text_encoder." + bare, "lora_te_" + underscored(whole),
            "lora_te1_" + underscored(whole), "text_encoder." + whole + ".lora_linear_layer"};
}

}  // namespace reelgrid::models::animatediff

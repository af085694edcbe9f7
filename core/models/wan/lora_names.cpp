#include "core/models/wan/lora_names.h"

#include <algorithm>
#include <array>

#include "core/models/wan/original_names.h"

namespace reelgrid::models::wan {

std::vector<std::string> loraNames(const std::string& module) {
    std::string original = originalTransformerName(module + ".weight");
    original.resize(original.size() - std::string(".weight").size());
    std::string underscores = original;
    std::replace(underscores.begin(), underscores.end(), '.', '_');
    std::vector<std::string> names{
        "transformer." + module,       "base_model.model." + module, module,
        "diffusion_model." + original, "lora_unet_" + underscores,   "lora_unet__" + underscores,
        "pipe.dit." + original};
    if (original != module) {
        names.push_back("base_model.model." + original);
        names.push_back(original);
    }
    return names;
}

bool isOfPictureLayer(const std::string& tensor) {
    constexpr std::array kMarks{"k_img",      "v_img",        "img_emb",       "add_k_proj",
                                "add_v_proj", "norm_added_k", "image_embedder"};
    return std::ranges::any_of(kMarks,
                               [&](const char* mark) { return tensor.find(mark) != std::string::npos; });
}

}  // namespace reelgrid::models::wan

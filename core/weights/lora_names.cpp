#include "core/weights/lora_names.h"

#include <algorithm>

namespace reelgrid::weights {

std::vector<std::string> transformerLoraNames(const std::string& module) {
    std::string underscores = module;
    std::ranges::replace(underscores, '.', '_');
    return {"transformer." + module, "base_model.model." + module, module, "lora_transformer_" + underscores,
            "lora_unet__" + underscores};
}

}  // namespace reelgrid::weights

#include "core/models/cogvideox/lora_names.h"

#include <algorithm>

namespace reelgrid::models::cogvideox {

std::vector<std::string> loraNames(const std::string& module) {
    std::string underscores = module;
    std::ranges::replace(underscores, '.', '_');
    return {"transformer." + module, "base_model.model." + module, module, "lora_transformer_" + underscores};
}

}  // namespace reelgrid::models::cogvideox

#include "core/models/wan/lora_names.h"

#include <algorithm>

#include "core/models/wan/original_names.h"

namespace reelgrid::models::wan {

std::vector<std::string> loraNames(const std::string& module) {
    std::string original = originalTransformerName(module + ".weight");
    original.resize(original.size() - std::string(".weight").size());
    std::string underscores = original;
    std::replace(underscores.begin(), underscores.end(), '.', '_');
    std::vector<std::string> names{"transformer." + module, "base_model.model." + module, module,
                                   "diffusion_model." + original, "lora_unet_" + underscores};
    if (original != module) {
        names.push_back("base_model.model." + original);
        names.push_back(original);
    }
    return names;
}

}  // namespace reelgrid::models::wan

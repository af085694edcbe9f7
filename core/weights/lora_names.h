#pragma once

#include <string>
#include <vector>

namespace reelgrid::weights {

/// What LoRAs of a transformer may call a module that diffusers calls `module`: below "transformer."
/// (diffusers), below "base_model.model." (peft), by its own name, or with underscores for dots below
/// "lora_transformer_" (kohya) or "lora_unet__" (VideoX-Fun). For families that have no names of their own
/// (LoraNames).
std::vector<std::string> transformerLoraNames(const std::string& module);

}  // namespace reelgrid::weights

#pragma once

#include <string>
#include <vector>

namespace reelgrid::weights {

/// What LoRAs of a transformer may call a module that diffusers calls `module`: below "transformer."
/// (diffusers), below "base_model.model." (peft), by its own name, or by kohya's ("lora_transformer_" and
/// underscores for dots). For families that have no names of their own (LoraNames).
std::vector<std::string> transformerLoraNames(const std::string& module);

}  // namespace reelgrid::weights

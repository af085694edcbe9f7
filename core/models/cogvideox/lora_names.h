#pragma once

#include <string>
#include <vector>

namespace reelgrid::models::cogvideox {

/// What LoRAs of CogVideoX's transformer may call a module that diffusers calls `module`: below
/// "transformer." (diffusers), below "base_model.model." (peft), by its own name, or by kohya's
/// ("lora_transformer_" and underscores for dots).
std::vector<std::string> loraNames(const std::string& module);

}  // namespace reelgrid::models::cogvideox

#pragma once

#include <string>
#include <vector>

namespace reelgrid::models::wan {

/// What LoRAs of Wan's transformer may call a module that diffusers calls `module`: by diffusers' names
/// (below "transformer." or not), by Wan's own (below "diffusion_model." or not), by either below
/// "base_model.model." (peft), or with underscores for dots below "lora_unet_" (kohya) or "lora_unet__"
/// (VideoX-Fun); by Wan's own below "pipe.dit.", too, where DiffSynth-Studio's training wasn't told to take
/// that off.
std::vector<std::string> loraNames(const std::string& module);

/// Whether a LoRA's tensor belongs to what attends to a picture's embedding, which Wan 2.1 image-to-video has
/// and others lack: LoRAs for it are used with those, too, and diffusers leaves such tensors out.
bool isOfPictureLayer(const std::string& tensor);

}  // namespace reelgrid::models::wan

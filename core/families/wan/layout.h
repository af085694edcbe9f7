#pragma once

#include "core/families/model_layout.h"

namespace reelgrid::families::wan {

/// Whether the folder has a config.json of Wan's own transformer and no model_index.json.
bool isWanLayout(const std::filesystem::path& folder);

/// A folder as Wan's authors publish a model: config.json (WanModel) with
/// diffusion_pytorch_model*.safetensors, or the two experts' folders of Wan 2.2 A14B, beside models_t5_*.pth,
/// Wan2.1_VAE.pth or Wan2.2_VAE.pth, google/umt5-xxl and, for image-to-video of 2.1, models_clip_*.pth.
/// NotFound, InvalidData or Unsupported naming what is missing or wrong.
Result<ModelLayout> readWanLayout(const ModelSource& source);

/// Whether it is a file of weights (.safetensors, .pth) with a transformer of Wan's, by its tensors' names.
bool isWanFile(const std::filesystem::path& file);

/// One file of weights with a transformer, by the names of Wan's authors, diffusers', ComfyUI's or
/// TurboDiffusion's, with the other parts where the source names them or findWanParts() finds them. Of the
/// two experts of Wan 2.2 A14B either is given: "high" and "low" in the name, before "noise" or as words of
/// their own, tell them apart; or the source has a "transformer_2". The same errors.
Result<ModelLayout> readWanFile(const ModelSource& source);

}  // namespace reelgrid::families::wan

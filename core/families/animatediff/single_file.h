#pragma once

#include "core/families/model_layout.h"

namespace reelgrid::families::animatediff {

/// Whether it is a .safetensors file with all of Stable Diffusion 1.5, by its tensors' names and shapes.
bool isStableDiffusionFile(const std::filesystem::path& file);

/// Such a file (v1-5-pruned-emaonly.safetensors): UNet, text encoder and VAE in one. The tokenizer, which it
/// lacks, is looked for beside it and in the two folders above (and in those that REELGRID_MODEL_PARTS names,
/// separated by colons): tokenizer/, openai/clip-vit-large-patch14/, with vocab.json or tokenizer.json. The
/// sampler is Stable Diffusion 1.5's own. NotFound naming what is missing and where it was looked for.
Result<ModelLayout> readStableDiffusionFile(const ModelSource& source);

}  // namespace reelgrid::families::animatediff

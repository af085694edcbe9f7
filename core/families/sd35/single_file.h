#pragma once

#include "core/families/model_layout.h"

namespace reelgrid::families::sd35 {

/// Whether it is a .safetensors file with Stable Diffusion 3's transformer by its authors' names.
bool isSd35File(const std::filesystem::path& file);

/// Such a file (sd3.5_medium.safetensors), which has the VAE, too. What it lacks is looked for beside it and
/// in the folder above (and in those that REELGRID_MODEL_PARTS names, separated by colons): the text encoders
/// as files (text_encoders/clip_l.safetensors, clip_g.safetensors, t5xxl_fp16.safetensors, which may be left
/// out) or as diffusers' folders, and tokenizer/, tokenizer_2/, with T5 tokenizer_3/. NotFound naming what is
/// missing and where it was looked for.
Result<ModelLayout> readSd35File(const ModelSource& source);

}  // namespace reelgrid::families::sd35

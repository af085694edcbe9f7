#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/families/wan/kind.h"

namespace reelgrid::families::wan {

/// Where the parts of a model are whose transformer was given as a file.
struct WanParts {
    std::filesystem::path vae, textEncoder;  ///< files, or diffusers' folders
    std::filesystem::path imageEncoder{};    ///< likewise; empty in kinds that have none
    std::filesystem::path tokenizer{};       ///< a folder; empty: the text encoder's file has it inside
};

/// Looks beside the file, in its folder and the two above it (and in those that REELGRID_MODEL_PARTS names,
/// separated by colons), as ComfyUI, Wan's authors and diffusers name things: vae/wan_2.1_vae.safetensors,
/// Wan2.1_VAE.pth, vae/; text_encoders/umt5_xxl_fp16.safetensors, models_t5_*.pth, text_encoder/;
/// clip_vision/clip_vision_h.safetensors, models_clip_*.pth, image_encoder/; google/umt5-xxl/, umt5-xxl/,
/// tokenizer/; ~/.cache/wan comes last. What the source names isn't looked for. NotFound naming what is
/// missing and where it was looked for.
Result<WanParts> findWanParts(const ModelSource& source, WanKind kind);

}  // namespace reelgrid::families::wan

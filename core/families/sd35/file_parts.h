#pragma once

#include "core/families/model_layout.h"

namespace reelgrid::families::sd35 {

/// Adds to the layout of a single file what lies beside it: text encoders, tokenizers, a VAE where it has
/// none. NotFound naming what is missing and where it was looked for; T5 may be missing.
Result<void> addFileParts(const std::filesystem::path& file, ModelLayout& layout);

}  // namespace reelgrid::families::sd35

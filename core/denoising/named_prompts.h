#pragma once

#include <vector>

#include "core/catalog/render_settings.h"
#include "core/text/tokenizers/cut_prompts.h"

namespace reelgrid::denoising {

/// What a render's text encoder is given, by what a reader calls it: the prompt, those at frames, and with
/// guidance the negative one.
std::vector<text::NamedPrompt> namedPrompts(const catalog::RenderSettings& settings);

}  // namespace reelgrid::denoising

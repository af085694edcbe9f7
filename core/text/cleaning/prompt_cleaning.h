#pragma once

#include <string>

namespace reelgrid::text {

/// What diffusers' WanPipeline does to a prompt before tokenizing it: ftfy.fix_text (see fixText for what of
/// it is covered), html.unescape twice, outer whitespace off, inner whitespace to single spaces. Text that is
/// not UTF-8 keeps its readable part.
std::string cleanPrompt(const std::string& prompt);

}  // namespace reelgrid::text

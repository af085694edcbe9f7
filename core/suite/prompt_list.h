#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::suite {

inline constexpr std::size_t kMostPrompts = 10000;

/// The prompts of a file in UTF-8: a line each, or a JSON list of texts or of VBench's objects ("prompt_en").
/// Empty lines are left out, and so is a byte order mark. InvalidData naming the file and what is wrong.
Result<std::vector<std::string>> readPrompts(const std::filesystem::path& file);

}  // namespace reelgrid::suite

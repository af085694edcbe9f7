#pragma once

#include <filesystem>
#include <string_view>

namespace reelgrid::fuzz {

/// A folder of this process, gone with it, for parsers that read files.
const std::filesystem::path& scratchFolder();

/// Writes the file below it, in the place of what has its name.
std::filesystem::path scratchFile(std::string_view name, std::string_view bytes);

}  // namespace reelgrid::fuzz

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reelgrid::capture {

/// A line for each <kernel>_metadata.pt of a folder that says more captures were saved than `files`, the
/// folder's captures (captureFiles()), has of that kernel, and for each that can't be read. Blocks.
std::vector<std::string> missingCaptures(const std::filesystem::path& folder,
                                         const std::vector<std::filesystem::path>& files);

}  // namespace reelgrid::capture

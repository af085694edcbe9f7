#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::media {

/// Of a file of boxes (MP4, QuickTime), in words: that it lists far more samples than it has bytes, or larger
/// ones, or that its video has no time scale; nothing where neither is so. Samples of one size need no table,
/// so a few bytes may ask for any number of them, for each of which FFmpeg takes memory.
std::optional<std::string> impossibleMp4Numbers(const std::filesystem::path& path);

}  // namespace reelgrid::media

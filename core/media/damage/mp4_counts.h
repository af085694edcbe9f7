#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::media {

/// Of a file of boxes (MP4, QuickTime), in words: that it lists far more samples than it has bytes, or larger
/// ones, that its video has no time scale, that lists of a track contradict each other, or that a box of one
/// is damaged so that FFmpeg would pass over it; nothing where none is so. Samples of one size need no table,
/// so a few bytes may ask for any number of them, for each of which FFmpeg takes memory.
std::optional<std::string> impossibleMp4Numbers(const std::filesystem::path& path);

}  // namespace reelgrid::media

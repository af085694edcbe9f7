#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::media {

/// Of a file of boxes (MP4, QuickTime): that it lists far more samples than it has bytes, in words; nothing
/// where it doesn't. Samples of one size need no table, so a few bytes may ask for any number of them, for
/// each of which FFmpeg takes memory.
std::optional<std::string> impossibleMp4Samples(const std::filesystem::path& path);

}  // namespace reelgrid::media

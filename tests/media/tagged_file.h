#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace reelgrid::media {

using Tags = std::vector<std::pair<std::string, std::string>>;

/// Writes a small MP4, Matroska, WebM or GIF clip of four frames whose container has these tags, as FFmpeg's
/// muxers write them (MP4: with movflags use_metadata_tags).
void writeTaggedClip(const std::filesystem::path& path, const Tags& tags);

/// Writes a PNG file of one pixel with these texts in tEXt chunks.
void writeTaggedPng(const std::filesystem::path& path, const Tags& tags);

}  // namespace reelgrid::media

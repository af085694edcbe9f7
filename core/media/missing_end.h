#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace reelgrid::media {

/// What a file that was cut short lacks, in words, for containers whose demuxers take the end of the file for
/// the end of the clip. Nothing where the file is whole, where it is damaged in another way, or where it
/// can't be known (a live WebM that was cut between two clusters).
std::optional<std::string> missingEndOfGif(const std::filesystem::path& path);
std::optional<std::string> missingEndOfAvi(const std::filesystem::path& path);
std::optional<std::string> missingEndOfMatroska(const std::filesystem::path& path);

}  // namespace reelgrid::media

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::media {

/// What is read of a file's tags at most; longer and further ones are left out.
inline constexpr std::size_t kMaxTagBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxTags = 64;

/// A text that a program wrote into a clip or picture. Untrusted: it may hold any bytes but zero.
struct TextTag {
    std::string name;  ///< in lower case, whatever the container makes of it: "prompt", "comment"
    std::string text;
};

/// The tags of a clip's container (MP4, Matroska, WebM and what else clips can be in), or the text chunks of
/// a PNG file, told by what it holds. Decodes a PNG. NotFound, InvalidData or Unsupported naming the file.
Result<std::vector<TextTag>> readTextTags(const std::filesystem::path& path);

}  // namespace reelgrid::media

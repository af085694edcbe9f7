#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/media/picture_size.h"

namespace reelgrid::media {

/// A picture in memory as 8-bit RGB, rows from the top, no padding: [height, width, 3].
struct RgbImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;

    [[nodiscard]] PictureSize size() const { return {width, height}; }
};

/// Reads a PNG, JPEG or WebP file, told by what it holds, upright as its EXIF data says; transparency is left
/// out. NotFound, Unsupported or InvalidData naming the file.
Result<RgbImage> readImage(const std::filesystem::path& path);

}  // namespace reelgrid::media

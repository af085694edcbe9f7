#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace reelgrid::media {

/// What a picture's file holds beside its pixels; empty where it has none.
struct PictureMetadata {
    std::string exif;  ///< a TIFF header and its directories
    std::string xmp;   ///< Adobe's XML
};

/// Of a JPEG, PNG or WebP file, wherever Pillow 13 looks for them: of PNG also the text "Raw profile type
/// exif", as ImageMagick writes it of a camera's JPEG, but not its "Raw profile type xmp". What makes no
/// sense is none. Reads untrusted bytes.
PictureMetadata metadataOf(std::span<const std::uint8_t> file);

}  // namespace reelgrid::media

#pragma once

#include <cstdint>
#include <span>

#include "core/media/display.h"

namespace reelgrid::media {

/// How the EXIF data of a JPEG, PNG or WebP file says that its picture is to be turned, or where they don't
/// its XMP; as it is where the file has none or what it has makes no sense. Reads untrusted bytes.
Display exifDisplay(std::span<const std::uint8_t> file);

}  // namespace reelgrid::media

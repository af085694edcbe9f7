#pragma once

#include <string_view>

namespace reelgrid::media {

/// Whether a PNG file's data (IDAT) unpacks to all rows that its header promises (ISO/IEC 15948, 7.2, 8.2 and
/// 10.1). FFmpeg gives a picture without those that are missing. False of what has no PNG's header.
bool hasAllPngRows(std::string_view png);

}  // namespace reelgrid::media

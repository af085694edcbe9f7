#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::media {

/// What is wrong with the rows that a PNG file's data (IDAT) unpacks to (ISO/IEC 15948, 7.2, 8.2, 9.2 and
/// 10.1), as the end of a message; nothing of sound ones. FFmpeg gives a picture without rows that are
/// missing, takes a row whose filter there isn't as it is, and makes pixels black whose colour the palette
/// lacks. Of what has no PNG's header all rows are missing.
std::optional<std::string> faultOfPngRows(std::string_view png);

}  // namespace reelgrid::media

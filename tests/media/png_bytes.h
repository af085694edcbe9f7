#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelgrid::media::test {

/// Four bytes, the highest first.
std::string numberText(std::uint32_t number);

/// PNG's, of ISO/IEC 15948, annex D.
std::string pngChecksum(const std::string& bytes);

/// A PNG file of chunks, each its type and its data; lengths and checksums are right.
std::string pngOf(const std::vector<std::string>& chunks);

/// IHDR, whatever its values.
std::string headerChunk(std::uint32_t width, std::uint32_t height, int depth, int colorType,
                        int compression = 0, int filter = 0, int interlace = 0);

/// IDAT with rows of at most 255 bytes together, each behind the byte that names its filter: stored, not
/// packed.
std::string dataChunk(const std::string& rows);

}  // namespace reelgrid::media::test

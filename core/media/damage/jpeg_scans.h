#pragma once

#include <cstdint>
#include <span>

namespace reelgrid::media {

/// Whether a packet of Motion JPEG begins with a picture, and each picture in it has a scan of each of its
/// components (ISO/IEC 10918-1, B.1.1.3 and B.2) and ends before the next one begins. Of one without a scan
/// FFmpeg's decoder gives what its memory held, as an earlier frame.
bool haveJpegScans(std::span<const std::uint8_t> packet);

}  // namespace reelgrid::media

#pragma once

#include <cstdint>
#include <string>

#include "core/media/damage/byte_walk.h"

namespace reelgrid::media {

/// Bytes of a box's head, but of a large one, whose size comes behind its type; this is in the size's place
/// then.
inline constexpr std::int64_t kBoxHeadBytes = 8, kLargeBoxMark = 1;

/// What a box of MP4 or QuickTime begins with (ISO/IEC 14496-12, 4.2).
struct BoxHead {
    std::string type;
    std::int64_t rest = 0;  ///< bytes behind the head; negative in a damaged one
    bool isOpen = false;    ///< goes on to the end of what is around it, wherever that is
};

BoxHead boxHead(ByteWalk& file);

}  // namespace reelgrid::media

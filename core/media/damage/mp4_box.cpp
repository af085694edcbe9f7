#include "core/media/damage/mp4_box.h"

#include <bit>

namespace reelgrid::media {

BoxHead boxHead(ByteWalk& file) {
    constexpr std::int64_t kToTheEnd = 0, kLargeHead = 16;
    BoxHead head;
    const std::int64_t size = file.number(4, std::endian::big);
    head.type = file.text(4);
    head.isOpen = size == kToTheEnd;
    head.rest = size == kLargeBoxMark ? file.number(8, std::endian::big) - kLargeHead : size - kBoxHeadBytes;
    return head;
}

}  // namespace reelgrid::media

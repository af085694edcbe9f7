#include "core/media/damage/dv_blocks.h"

#include <cstddef>

namespace reelgrid::media {
namespace {

/// Of the blocks of a sequence, 0 to 149, as a block's first three bits have it.
int kindOfBlock(std::size_t place) {
    enum Kind { Header, Subcode, VideoAuxiliary, Audio, Video };
    if (place < 1) return Header;
    if (place < 3) return Subcode;
    if (place < 6) return VideoAuxiliary;
    return (place - 6) % 16 == 0 ? Audio : Video;
}

}  // namespace

bool hasAllDvBlocks(std::span<const std::uint8_t> frame) {
    constexpr std::size_t kBlock = 80, kBlocksOfSequence = 150;
    const std::size_t blocks = frame.size() / kBlock;
    for (std::size_t block = 0; block < blocks; ++block)
        if (frame[block * kBlock] >> 5 != kindOfBlock(block % kBlocksOfSequence)) return false;
    return blocks > 0 && blocks % kBlocksOfSequence == 0 && frame.size() % kBlock == 0;
}

}  // namespace reelgrid::media

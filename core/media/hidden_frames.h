#pragma once

#include <cstdint>
#include <limits>
#include <set>

#include "core/media/packet_index.h"

namespace reelgrid::media {

/// Frames that aren't shown and on which shown ones are based, as where an edit list begins within a group of
/// pictures: FFmpeg's decoders leave a damaged one out and say nothing of those behind it. Follows one run of
/// a decoder over an exact PacketIndex.
class HiddenFrames {
  public:
    /// The decoder begins anew, with the packet of stamp `pts`.
    void beginAt(std::int64_t pts);
    /// The decoder gets a packet.
    void fed(const PacketIndex::Packet& packet);
    /// The decoder didn't take a packet.
    void refused(const PacketIndex::Packet& packet) { m_areLost |= !packet.shown && packet.pts >= m_begin; }
    /// A frame that isn't shown came out, of which a part may be made up.
    void came(std::int64_t pts, bool isMadeUp);
    /// A frame that is shown came out: whether it may be based on one that is lost.
    bool lackBefore(std::int64_t pts);

  private:
    std::set<std::int64_t> m_awaited;  // stamps of packets that were fed and of which nothing came yet
    std::int64_t m_begin = 0;          // what is shown before lacks what it is based on anyway
    std::int64_t m_wholeFrom = std::numeric_limits<std::int64_t>::max();  // the last shown key frame's stamp
    bool m_areLost = false;
};

}  // namespace reelgrid::media

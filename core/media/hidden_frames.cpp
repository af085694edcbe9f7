#include "core/media/hidden_frames.h"

namespace reelgrid::media {

void HiddenFrames::beginAt(std::int64_t pts) {
    *this = HiddenFrames();
    m_begin = pts;
}

void HiddenFrames::fed(const PacketIndex::Packet& packet) {
    if (packet.key && packet.shown) m_wholeFrom = packet.pts;
    if (!packet.shown && packet.pts >= m_begin && packet.givesFrame) m_awaited.insert(packet.pts);
}

void HiddenFrames::came(std::int64_t pts, bool isMadeUp) {
    m_areLost |= isMadeUp && pts >= m_begin;
    m_awaited.erase(pts);
}

bool HiddenFrames::lackBefore(std::int64_t pts) {
    // Frames come in the order of their times.
    m_areLost |= !m_awaited.empty() && *m_awaited.begin() < pts;
    m_areLost = m_areLost && pts < m_wholeFrom;
    return m_areLost;
}

}  // namespace reelgrid::media

#include "core/media/packet_check.h"

#include <cstdint>
#include <span>

#include "core/media/damage/dv_blocks.h"
#include "core/media/damage/ffv1_slices.h"
#include "core/media/damage/jpeg_scans.h"

namespace reelgrid::media {

bool PacketCheck::isDamaged(const AVPacket& packet) {
    const std::span<const std::uint8_t> bytes(packet.data, std::size_t(packet.size));
    if (m_codec == AV_CODEC_ID_DVVIDEO) return !hasAllDvBlocks(bytes);
    if (m_codec == AV_CODEC_ID_MJPEG) return !haveJpegScans(bytes);
    if (!m_hasFfv1Checksums) return false;
    if ((packet.flags & AV_PKT_FLAG_KEY) != 0) m_lacksKey = false;
    m_lacksKey = m_lacksKey || !ffv1Checksums(bytes).areRight;
    return m_lacksKey;
}

}  // namespace reelgrid::media

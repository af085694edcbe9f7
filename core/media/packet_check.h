#pragma once

#include "core/media/av_handles.h"

namespace reelgrid::media {

/// Finds packets of which FFmpeg's decoders don't say that they are damaged: DV and Motion JPEG by their
/// structure, FFV1 by its checksums. Sees one run of packets in decoding order.
class PacketCheck {
  public:
    PacketCheck(AVCodecID codec, bool hasFfv1Checksums)
        : m_codec(codec), m_hasFfv1Checksums(hasFfv1Checksums) {}

    void begin() { m_lacksKey = false; }
    /// Whether a packet, or one that it depends on, has other bytes than were written.
    bool isDamaged(const AVPacket& packet);

  private:
    AVCodecID m_codec;
    bool m_hasFfv1Checksums;
    bool m_lacksKey = false;
};

}  // namespace reelgrid::media

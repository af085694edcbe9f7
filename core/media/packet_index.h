#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {

/// Whether it is none, or one that no clip has and sums of which might overflow.
inline bool isFarStamp(std::int64_t stamp) {
    constexpr std::int64_t kFar = std::int64_t{1} << 60;
    return stamp <= -kFar || stamp >= kFar;
}

/// The packets of one video stream, as read from the file, and the order in which their frames are shown.
/// Every frame's place is known before any of them is decoded.
class PacketIndex {
  public:
    struct Packet {
        std::int64_t pts = 0;
        std::int64_t dts = 0;
        std::int64_t duration = 0;
        bool key = false;
        bool shown = true;        ///< false: decoded for later frames only (before an edit list's start)
        bool givesFrame = false;  ///< by itself, one and no other
    };

    /// Reads `input` to its end. Fails with InvalidData when the container lists more packets than the file
    /// holds (a truncated file). The input's position is left at the end.
    static Result<PacketIndex> read(AVFormatContext& input, int stream);

    /// In decoding order.
    [[nodiscard]] const std::vector<Packet>& packets() const { return m_packets; }
    /// Presentation stamps of the shown frames, ascending.
    [[nodiscard]] const std::vector<std::int64_t>& stamps() const { return m_stamps; }
    /// Whether each packet is one frame with its own presentation stamp. If not, frames can only be told
    /// apart by decoding from the start and counting.
    [[nodiscard]] bool isExact() const { return m_exact; }
    /// Whether every packet is shown at the time at which it is decoded, as some that write B frames have it,
    /// too: then these times are none of frames.
    [[nodiscard]] bool isShownAsDecoded() const;
    /// No longer takes the packets' times for those of frames.
    void forgetTimes() { m_exact = false; }

    /// Packets that the file lists and that aren't there or aren't shown: those that its edit list leaves
    /// out, and what FFmpeg finds no place for where a list is damaged.
    [[nodiscard]] int leftOut() const { return m_leftOut; }

    /// Packets with a frame each that have the time of another one.
    [[nodiscard]] int atOneTime() const { return m_atOneTime; }

    /// Whether packets are FFV1 that has checksums behind its slices, seen from one that is right.
    [[nodiscard]] bool hasFfv1Checksums() const { return m_hasFfv1Checksums; }

    /// The colours of the packet at place `packet` where the file has them outside of its packets: FFmpeg
    /// hands them over once, with the first packet that they are of. AVPALETTE_SIZE bytes, or none.
    [[nodiscard]] std::span<const std::uint8_t> paletteOf(int packet) const;

    /// From one packet to the next in decoding order, in units of the stream; 0 where that isn't the same
    /// throughout.
    [[nodiscard]] std::int64_t evenStep() const;

    /// Its file lists so many packets, those of fragments included.
    void expect(std::int64_t listed);
    /// Parts are missing in at least so many places.
    void expectGaps(int gaps) { m_behindGaps = std::max(m_behindGaps, gaps); }
    /// In so many, whatever the demuxer says.
    void setGaps(int gaps) { m_behindGaps = gaps; }

    /// No longer counts frames that are shown before the first key frame, though they come after it in the
    /// file: a recording that begins within a group of pictures lacks what they refer to. False where there
    /// are none, or more than a codec reorders over.
    bool leaveOutLeading();

    /// Packets of which the demuxer says that something is missing before them or in them.
    [[nodiscard]] int behindGaps() const { return m_behindGaps; }
    /// That its packets must give, as far as is known; else 0.
    [[nodiscard]] int framesExpected() const { return m_framesExpected; }

    /// The shown frame with this stamp.
    [[nodiscard]] std::optional<int> frameWith(std::int64_t pts) const;
    /// Place in decoding order of the packet with this stamp.
    [[nodiscard]] std::optional<int> packetWith(std::int64_t pts) const;
    /// Place in decoding order of the key packet from which frame `frame` can be decoded: the nearest one
    /// that is neither decoded nor shown after it (a frame shown before its key frame needs the one before).
    [[nodiscard]] int keyBefore(int frame) const;
    /// The key packet before the one at place `packet`, or 0.
    [[nodiscard]] int keyBeforePacket(int packet) const;
    /// How many frames a decoder must hold back to give them in presentation order.
    [[nodiscard]] int reorderDelay() const;

  private:
    void finish();

    struct Stamped {
        std::int64_t pts;
        int packet;
    };
    std::vector<Packet> m_packets;
    std::vector<std::int64_t> m_stamps;
    std::vector<Stamped> m_byStamp;                       // ascending; all packets
    std::map<int, std::vector<std::uint8_t>> m_palettes;  // by the first packet that they are of
    int m_leftOut = 0, m_behindGaps = 0, m_framesExpected = 0, m_atOneTime = 0;
    bool m_exact = true;
    bool m_hasFfv1Checksums = false;
};

}  // namespace reelgrid::media

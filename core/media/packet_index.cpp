#include "core/media/packet_index.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "core/media/av_error.h"
#include "core/media/damage/ffv1_slices.h"
#include "core/media/field_counter.h"
#include "core/media/input_file.h"

namespace reelgrid::media {
namespace {

/// Whether the first packet alone is a key, whatever the demuxer flags: each picture of GIF and APNG is
/// painted over the one before; of H.263 the reader of AVI flags every packet.
bool hasOneKey(const AVFormatContext& input, AVCodecID codec) {
    return codec == AV_CODEC_ID_GIF || codec == AV_CODEC_ID_APNG ||
           (codec == AV_CODEC_ID_H263 && std::string_view(input.iformat->name) == "avi");
}

/// No codec reorders over more than this (H.264's largest picture buffer).
constexpr std::size_t kMostReordered = 16;

/// Two fields of a picture may come in two packets.
bool mayBeFields(const AVCodecParameters& parameters) {
    return parameters.field_order != AV_FIELD_UNKNOWN && parameters.field_order != AV_FIELD_PROGRESSIVE;
}

/// Whether the container has a table of every packet. Of others' key frames FFmpeg may list some twice (Flash
/// Video).
bool listsAllPackets(const AVFormatContext& input) {
    return isMp4(*input.iformat) || std::string_view(input.iformat->name) == "avi";
}

/// Whether it has a table of key frames of its own. Of others FFmpeg lists what it takes for some.
bool listsKeyFrames(const AVFormatContext& input) {
    const std::string_view demuxer = input.iformat->name;
    return listsAllPackets(input) || demuxer == "flv" || demuxer.starts_with("matroska");
}

/// Those that have bytes.
int listedPackets(AVStream& video) {
    int listed = 0;
    for (int i = 0; i < avformat_index_get_entries_count(&video); ++i)
        if (avformat_index_get_entry(&video, i)->size > 0) ++listed;
    return listed;
}

constexpr std::int64_t kMostFrames = 1 << 30;

/// Whether the packet may be one of MPEG-4 Part 2 that stands for a frame that wasn't coded, or that is
/// within the packet before ("packed").
bool mayBePlaceholder(const AVCodecParameters& parameters, const AVPacket& packet) {
    constexpr int kMostBytes = 16;
    return parameters.codec_id == AV_CODEC_ID_MPEG4 && packet.size <= kMostBytes;
}

/// Whether the codec has no packets of several frames, of a frame that isn't shown or of none.
bool hasFrameEach(const AVCodecParameters& parameters) {
    constexpr std::array kOthers{AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_THEORA};
    return std::ranges::find(kOthers, parameters.codec_id) == kOthers.end();
}

/// Frames that so many packets with one must give: half of them where two fields may be a frame.
int framesOf(const AVCodecParameters& parameters, std::size_t packets) {
    constexpr std::array kWholeFrames{AV_CODEC_ID_DNXHD, AV_CODEC_ID_PRORES,     AV_CODEC_ID_DVVIDEO,
                                      AV_CODEC_ID_FFV1,  AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO};
    const bool areWhole = std::ranges::find(kWholeFrames, parameters.codec_id) != kWholeFrames.end();
    return int(mayBeFields(parameters) && !areWhole ? packets / 2 : packets);
}

/// Of MP4 and QuickTime: how many of the listed packets FFmpeg's index, which follows the edit list, lacks or
/// has without a byte. Fragments aren't listed. Of MXF: how many of those that its track is long aren't among
/// `packets`; it is −1 where nobody knew it.
int unlistedPackets(const AVFormatContext& input, AVStream& video, std::size_t packets) {
    std::int64_t missing = 0;
    if (isMp4(*input.iformat))
        missing = video.nb_frames - listedPackets(video);
    else if (std::string_view(input.iformat->name) == "mxf" && video.duration > 0)
        missing = video.duration - std::int64_t(packets);
    return int(std::clamp<std::int64_t>(missing, 0, kMostFrames));
}

/// Whether the file is long enough for every packet that its container lists.
bool holdsAllEntries(const AVFormatContext& input, AVStream& video) {
    const std::int64_t size = avio_size(input.pb);
    for (int i = 0; i < avformat_index_get_entries_count(&video); ++i) {
        const AVIndexEntry* entry = avformat_index_get_entry(&video, i);
        if (entry->pos + entry->size > size) return false;
    }
    return true;
}

/// Whether a packet of VC-2 or Dirac ends the stream, and has no frame: it is a head alone.
bool endsDirac(const AVStream& video, const AVPacket& packet) {
    constexpr int kParseInfoBytes = 13;
    return video.codecpar->codec_id == AV_CODEC_ID_DIRAC && packet.size <= kParseInfoBytes;
}

/// Whether the container lists its first packet as a key frame: the decoder's parser, which saw otherwise,
/// saw damage.
bool beginsWithKey(AVStream& video, const PacketIndex::Packet& first) {
    const AVIndexEntry* entry = avformat_index_get_entry(&video, 0);
    return entry != nullptr && (entry->flags & AVINDEX_KEYFRAME) != 0 &&
           (entry->timestamp == first.dts || entry->timestamp == first.pts);
}

}  // namespace

Result<PacketIndex> PacketIndex::read(AVFormatContext& input, int stream) {
    PacketIndex index;
    AVStream& video = *input.streams[stream];
    const bool oneKey = hasOneKey(input, video.codecpar->codec_id);
    const bool isFfv1 = video.codecpar->codec_id == AV_CODEC_ID_FFV1;
    if (mayBeFields(*video.codecpar)) index.m_exact = false;

    std::size_t givingFrames = 0;
    std::optional<FieldCounter> fields;
    if (mayBeFields(*video.codecpar) && video.codecpar->codec_id == AV_CODEC_ID_H264)
        fields.emplace(*video.codecpar);
    const PacketHandle packet(av_packet_alloc());
    int status = 0;
    while ((status = av_read_frame(&input, packet.get())) >= 0) {
        if (packet->stream_index == stream && packet->size > 0 && !endsDirac(video, *packet)) {
            const bool key = oneKey ? index.m_packets.empty() : (packet->flags & AV_PKT_FLAG_KEY) != 0;
            if (packet->pts == AV_NOPTS_VALUE) index.m_exact = false;
            if ((packet->flags & AV_PKT_FLAG_CORRUPT) != 0) ++index.m_behindGaps;
            if (fields) fields->add(*packet);
            const bool givesFrame =
                hasFrameEach(*video.codecpar) && !mayBePlaceholder(*video.codecpar, *packet);
            if (givesFrame) ++givingFrames;
            std::size_t bytes = 0;
            if (const std::uint8_t* palette =
                    av_packet_get_side_data(packet.get(), AV_PKT_DATA_PALETTE, &bytes);
                bytes == AVPALETTE_SIZE)
                index.m_palettes[int(index.m_packets.size())].assign(palette, palette + bytes);
            if (isFfv1 && !index.m_hasFfv1Checksums)
                index.m_hasFfv1Checksums = ffv1Checksums({packet->data, std::size_t(packet->size)}).areThere;
            index.m_packets.push_back({packet->pts, packet->dts, packet->duration, key,
                                       (packet->flags & AV_PKT_FLAG_DISCARD) == 0, givesFrame});
        }
        av_packet_unref(packet.get());
    }
    if (status != AVERROR_EOF)
        return avError("after frame " + std::to_string(index.m_packets.size()), status);
    const int listed = listsAllPackets(input) ? listedPackets(video) : 0;
    if (listed > 0 && index.m_packets.empty() && holdsAllEntries(input, video))
        return Error{ErrorCode::InvalidData, "none of the " + std::to_string(listed) +
                                                 " frames that it lists is in it: what is kept in another "
                                                 "file isn't read"};
    if (listed > int(index.m_packets.size()))
        return Error{ErrorCode::InvalidData,
                     "the file is cut short: " + std::to_string(index.m_packets.size()) + " of " +
                         std::to_string(listed) + " frames are there"};
    if (index.m_packets.empty()) return Error{ErrorCode::InvalidData, "it holds no frames"};
    if (!index.m_packets.front().key && listsKeyFrames(input) &&
        beginsWithKey(video, index.m_packets.front()))
        return Error{ErrorCode::InvalidData, "its first frame can't be decoded"};
    index.m_framesExpected = fields ? fields->frames() : framesOf(*video.codecpar, givingFrames);
    index.m_leftOut = unlistedPackets(input, video, index.m_packets.size()) +
                      int(std::ranges::count(index.m_packets, false, &PacketIndex::Packet::shown));
    index.finish();
    return index;
}

std::int64_t PacketIndex::evenStep() const {
    if (m_packets.size() < 2 || std::ranges::any_of(m_packets, isFarStamp, &Packet::dts)) return 0;
    const std::int64_t step = m_packets[1].dts - m_packets[0].dts;
    const auto isOther = [&](const Packet& packet, const Packet& next) {
        return next.dts - packet.dts != step;
    };
    return step > 0 && std::ranges::adjacent_find(m_packets, isOther) == m_packets.end() ? step : 0;
}

void PacketIndex::expect(std::int64_t listed) {
    const std::int64_t missing = listed - std::int64_t(m_packets.size());
    m_leftOut = std::max(m_leftOut, int(std::clamp<std::int64_t>(missing, 0, kMostFrames)));
}

void PacketIndex::finish() {
    if (!m_exact) return;
    m_byStamp.reserve(m_packets.size());
    for (std::size_t i = 0; i < m_packets.size(); ++i) m_byStamp.push_back({m_packets[i].pts, int(i)});
    std::ranges::stable_sort(m_byStamp, {}, &Stamped::pts);
    for (const Stamped& entry : m_byStamp)
        if (m_packets[std::size_t(entry.packet)].shown) m_stamps.push_back(entry.pts);
    bool unique = true;
    for (std::size_t i = 1; i < m_byStamp.size(); ++i) {
        if (m_byStamp[i].pts != m_byStamp[i - 1].pts) continue;
        unique = false;
        if (m_packets[std::size_t(m_byStamp[i].packet)].givesFrame) ++m_atOneTime;
    }
    if (!unique || m_stamps.empty() || !m_packets.front().key) {
        m_exact = false;
        m_stamps.clear();
    }
}

bool PacketIndex::leaveOutLeading() {
    if (!m_exact) return false;
    const std::int64_t first = m_packets.front().pts;
    // More than may come so have damaged stamps.
    if (std::ranges::lower_bound(m_stamps, first) - m_stamps.begin() > std::ptrdiff_t(kMostReordered))
        return false;
    for (Packet& packet : m_packets) packet.shown = packet.shown && packet.pts >= first;
    return std::erase_if(m_stamps, [&](std::int64_t pts) { return pts < first; }) > 0 && !m_stamps.empty();
}

std::optional<int> PacketIndex::frameWith(std::int64_t pts) const {
    const auto found = std::ranges::lower_bound(m_stamps, pts);
    if (found == m_stamps.end() || *found != pts) return std::nullopt;
    return int(found - m_stamps.begin());
}

std::optional<int> PacketIndex::packetWith(std::int64_t pts) const {
    const auto found = std::ranges::lower_bound(m_byStamp, pts, {}, &Stamped::pts);
    if (found == m_byStamp.end() || found->pts != pts) return std::nullopt;
    return found->packet;
}

int PacketIndex::keyBefore(int frame) const {
    const std::int64_t pts = m_stamps[std::size_t(frame)];
    for (int at = *packetWith(pts); at > 0; --at) {
        const Packet& packet = m_packets[std::size_t(at)];
        if (packet.key && packet.pts <= pts) return at;
    }
    return 0;
}

int PacketIndex::keyBeforePacket(int packet) const {
    for (int at = packet - 1; at > 0; --at)
        if (m_packets[std::size_t(at)].key) return at;
    return 0;
}

std::span<const std::uint8_t> PacketIndex::paletteOf(int packet) const {
    const auto behind = m_palettes.upper_bound(packet);
    if (behind == m_palettes.begin()) return {};
    return std::prev(behind)->second;
}

bool PacketIndex::isShownAsDecoded() const {
    return std::ranges::all_of(m_packets, [](const Packet& packet) { return packet.pts == packet.dts; });
}

int PacketIndex::reorderDelay() const {
    std::size_t delay = 0;
    for (std::size_t i = 0; m_exact && i < m_packets.size(); ++i) {
        std::size_t later = 0;  // decoded before this frame, shown after it
        for (std::size_t back = 1; back <= std::min(i, 2 * kMostReordered); ++back)
            later += m_packets[i - back].pts > m_packets[i].pts ? 1 : 0;
        delay = std::max(delay, later);
    }
    return int(std::min(delay, kMostReordered));
}

}  // namespace reelgrid::media

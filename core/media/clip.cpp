#include "core/media/clip.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/media/av_error.h"
#include "core/media/clip_options.h"
#include "core/media/decoder.h"
#include "core/media/frame_cache.h"
#include "core/media/frame_timing.h"
#include "core/media/hidden_frames.h"
#include "core/media/packet_check.h"
#include "core/media/packet_index.h"
#include "core/media/packet_reader.h"
#include "core/media/picture.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

/// In the place of its own: behind a seek a demuxer has those of other frames. False where there is no
/// memory.
bool giveColours(AVPacket& packet, std::span<const std::uint8_t> palette) {
    if (palette.empty()) return true;
    std::uint8_t* room = av_packet_new_side_data(&packet, AV_PKT_DATA_PALETTE, palette.size());
    if (room != nullptr) std::ranges::copy(palette, room);
    return room != nullptr;
}

/// Frames that a clip may be shorter than it says: containers round.
constexpr double kMostShort = 1.5;

/// 1:1 where none is said.
Rational aspectOf(const Display& display) {
    const auto [num, den] = display.sampleAspect;
    if (num <= 0 || den <= 0) return {1, 1};
    const std::int64_t divisor = std::gcd(num, den);
    return {num / divisor, den / divisor};
}

class FfmpegClip final : public Clip {
  public:
    FfmpegClip(fs::path path, PacketReader reader, PacketIndex index, CodecHandle codec,
               const ClipOptions& options)
        : m_path(std::move(path)),
          m_reader(std::move(reader)),
          m_index(std::move(index)),
          m_codec(std::move(codec)),
          m_frame(av_frame_alloc()),
          m_packet(av_packet_alloc()),
          m_cache(options.cacheBytes),
          m_stretches(options.stretches),
          m_check(m_codec->codec_id, m_index.hasFfv1Checksums()) {}

    Result<void> prepare();
    [[nodiscard]] const ClipInfo& info() const override { return m_info; }
    Result<FramePtr> frame(int index) override;

  private:
    void setTiming(std::span<const std::int64_t> stamps, std::int64_t lastDuration);
    [[nodiscard]] std::int64_t lastDuration() const;
    Result<std::vector<std::int64_t>> stampsByDecoding();
    Result<bool> comesInAnotherOrder();
    Result<FramePtr> decodeFrom(int key, int index);
    Result<void> moveBefore(int key, int index);
    Result<FramePtr> decodeUpTo(int index);
    Result<bool> receive();
    Result<bool> feed();
    void noteRefused();
    Result<FramePtr> keep(int index);
    [[nodiscard]] std::string nameOf(int index) const;

    fs::path m_path;
    PacketReader m_reader;
    PacketIndex m_index;
    CodecHandle m_codec;
    FrameHandle m_frame;
    PacketHandle m_packet;
    PlaneExtractor m_extractor;
    FrameCache m_cache;
    bool m_stretches;
    ClipInfo m_info;

    PacketCheck m_check;
    HiddenFrames m_hidden;   // of an exact index
    bool m_running = false;  // the decoder goes on from m_lastShown; false: only after a seek
    bool m_draining = false;
    bool m_hasFrame = false;  // the decoder gave one since the last seek
    int m_lastShown = -1;
    int m_lastFed = -1;              // place in decoding order
    int m_refused = 0;               // packets that the decoder didn't take, since its first frame
    int m_refusedBefore = 0;         // and before it
    std::int64_t m_skipBefore = -1;  // frames shown before this one's stamp are only stepping stones
};

void FfmpegClip::setTiming(std::span<const std::int64_t> stamps, std::int64_t lastDuration) {
    const AVStream& stream = m_reader.stream();
    const AVRational guessed = m_reader.guessedRate();
    const std::array declared{Rational{stream.avg_frame_rate.num, stream.avg_frame_rate.den},
                              Rational{stream.r_frame_rate.num, stream.r_frame_rate.den},
                              Rational{guessed.num, guessed.den}};
    FrameTiming timing =
        frameTimingOf(stamps, {stream.time_base.num, stream.time_base.den}, lastDuration, declared);
    m_info.fps = timing.fps;
    m_info.frameSeconds = std::move(timing.seconds);
    m_info.durationSeconds = timing.durationSeconds;
    m_info.unequal = timing.unequal;
    const double frame = 1 / timing.fps.value(), unit = av_q2d(stream.time_base);
    const double end =
        double(stamps.back()) * unit + (lastDuration > 0 ? double(lastDuration) * unit : frame);
    const double said = m_reader.saidSeconds();
    m_info.missing.saidSeconds = stamps.size() > 1 && said - end > kMostShort * frame ? said : 0;
}

std::int64_t FfmpegClip::lastDuration() const {
    return m_index.packets()[std::size_t(*m_index.packetWith(m_index.stamps().back()))].duration;
}

/// For streams whose packets don't tell: one pass through the whole clip.
Result<std::vector<std::int64_t>> FfmpegClip::stampsByDecoding() {
    const AVRational timeBase = m_reader.stream().time_base, rate = m_reader.guessedRate();
    const AVRational step = rate.num > 0 && rate.den > 0 ? av_inv_q(rate) : AVRational{1, 25};
    std::vector<std::int64_t> stamps;
    bool ascending = true;
    if (auto moved = moveBefore(0, 0); !moved) return moved.error();
    while (true) {
        auto got = receive();
        if (!got) return got.error();
        if (!*got) break;
        std::int64_t stamp = m_frame->best_effort_timestamp;
        // What the decoder held back until the end has none.
        if (stamp == AV_NOPTS_VALUE && m_draining && !stamps.empty())
            stamp = stamps.back() + av_rescale_q(1, step, timeBase);
        ascending &= stamp != AV_NOPTS_VALUE && (stamps.empty() || stamp > stamps.back());
        stamps.push_back(stamp);
    }
    m_running = false;
    // Elsewhere they are frames that can't be decoded: here none of them has a place.
    if (m_refused > 0)
        return Error{ErrorCode::InvalidData, std::to_string(m_refused) +
                                                 " of its packets can't be decoded, and what else it has "
                                                 "doesn't say which frames they were"};
    // Decoded evenly, shown evenly: decoders guess the times of what has none.
    const std::int64_t even = stamps.size() == m_index.packets().size() ? m_index.evenStep() : 0;
    if (even > 0 && !isFarStamp(stamps.front())) {
        for (std::size_t i = 1; i < stamps.size(); ++i) stamps[i] = stamps[i - 1] + even;
        return stamps;
    }
    if (ascending) return stamps;
    for (std::size_t i = 0; i < stamps.size(); ++i) stamps[i] = av_rescale_q(std::int64_t(i), step, timeBase);
    return stamps;
}

/// Whether frames of H.264 come out of the decoder with falling times, as those of B frames do whose packets
/// have none but the times at which they are decoded. Looked at where the clip begins.
Result<bool> FfmpegClip::comesInAnotherOrder() {
    constexpr int kLookedAt = 24;
    const bool isReordered = m_codec->codec_id == AV_CODEC_ID_H264 && m_codec->has_b_frames > 0;
    if (!isReordered || !m_index.isExact() || !m_index.isShownAsDecoded()) return false;
    if (auto moved = moveBefore(0, 0); !moved) return moved.error();
    bool falls = false;
    std::int64_t before = std::numeric_limits<std::int64_t>::min();
    for (int i = 0; i < kLookedAt && !falls; ++i) {
        auto got = receive();
        if (!got) return got.error();
        if (!*got) break;
        falls = m_frame->pts < before;
        before = m_frame->pts;
    }
    m_running = false;
    return falls;
}

Result<void> FfmpegClip::prepare() {
    const AVStream& stream = m_reader.stream();
    m_info.codec = avcodec_get_name(stream.codecpar->codec_id);
    m_info.missing.leftOut = m_index.leftOut();
    m_info.missing.behindGaps = m_index.behindGaps();
    m_info.missing.atOneTime = m_index.atOneTime();
    m_info.track = m_reader.track();
    auto isOther = comesInAnotherOrder();
    if (!isOther) return isOther.error();
    if (*isOther) m_index.forgetTimes();
    if (m_index.isExact()) {
        setTiming(m_index.stamps(), lastDuration());
    } else {
        auto stamps = stampsByDecoding();
        if (!stamps) return stamps.error();
        if (stamps->empty()) return Error{ErrorCode::InvalidData, "none of its frames can be decoded"};
        // Where what the stream says of its order changes within.
        if (m_index.framesExpected() > 0 && stamps->size() > m_index.packets().size())
            return Error{ErrorCode::InvalidData, "its " + std::to_string(m_index.packets().size()) +
                                                     " packets give " + std::to_string(stamps->size()) +
                                                     " frames"};
        m_info.missing.withoutPicture =
            std::max(m_refusedBefore, m_index.framesExpected() - int(stamps->size()));
        setTiming(*stamps, 0);
    }
    // The picture's size is the first frame's: the header's may be wrong.
    auto first = frame(0);
    const std::size_t listed = m_index.stamps().size();
    if (!first && m_index.leaveOutLeading()) {
        m_info.missing.withoutPicture = int(listed - m_index.stamps().size());
        setTiming(m_index.stamps(), lastDuration());
        m_running = false;
        first = frame(0);
    }
    if (!first)
        return Error{first.error().code,
                     "its first frame can't be decoded, or not at the time of its packet"};
    return {};
}

Result<FramePtr> FfmpegClip::frame(int index) {
    if (index < 0 || index >= m_info.frameCount())
        return Error{ErrorCode::BadUsage, m_path.string() + ": frame " + std::to_string(index) +
                                              " was asked for, it has " +
                                              std::to_string(m_info.frameCount())};
    if (FramePtr cached = m_cache.find(index)) return cached;
    const int key = m_index.isExact() ? m_index.keyBefore(index) : 0;
    auto decoded = decodeFrom(key, index);
    // H.264 decoders hold back what follows a key frame that isn't an IDR when the clip ends soon after it:
    // such frames come when decoding starts one key frame earlier.
    if (!decoded && key > 0) {
        m_running = false;
        decoded = decodeFrom(m_index.keyBeforePacket(key), index);
    }
    if (!decoded) {
        m_running = false;
        return decoded.error().in(m_path.string());
    }
    return decoded;
}

Result<FramePtr> FfmpegClip::decodeFrom(int key, int index) {
    if (auto moved = moveBefore(key, index); !moved) return moved.error();
    return decodeUpTo(index);
}

/// Makes the decoder ready to reach frame `index`, going back or ahead to packet `key` where that is needed.
Result<void> FfmpegClip::moveBefore(int key, int index) {
    if (m_index.isExact()) {
        // Going on beats a seek up to the next key frame, and through it when frames are read in order.
        const bool next = index == m_lastShown + 1;
        if (m_running && index > m_lastShown && (next || key <= m_lastFed)) return {};
        if (auto sought = m_reader.seekTo(m_index, key); !sought) return sought;
        m_lastFed = key - 1;
        m_hidden.beginAt(m_index.packets()[std::size_t(key)].pts);
    } else {
        if (m_running && index > m_lastShown) return {};
        if (auto rewound = m_reader.rewind(); !rewound) return rewound;
    }
    avcodec_flush_buffers(m_codec.get());
    m_check.begin();
    m_draining = false;
    m_running = true;
    m_lastShown = -1;
    m_hasFrame = false;
    m_refused = m_refusedBefore = 0;
    return {};
}

/// Gives the decoder one more packet, or the end; false when the end had been given before.
Result<bool> FfmpegClip::feed() {
    if (m_draining) return false;
    const int status = m_reader.next(*m_packet);
    if (status == AVERROR_EOF) {
        m_draining = true;
        avcodec_send_packet(m_codec.get(), nullptr);
        return true;
    }
    if (status < 0) return avError("reading", status);
    if (m_index.isExact()) {
        bool isHidden = false;
        // FFmpeg would keep frames that aren't shown to itself, and whether they are whole.
        m_packet->flags &= ~AV_PKT_FLAG_DISCARD;
        if (const auto place = m_index.packetWith(m_packet->pts)) {
            m_lastFed = *place;
            const PacketIndex::Packet& fed = m_index.packets()[std::size_t(*place)];
            m_hidden.fed(fed);
            isHidden = !fed.shown;
            if (!giveColours(*m_packet, m_index.paletteOf(*place)))
                return Error{ErrorCode::OutOfMemory, "no memory for a packet's colours"};
        }
        // Of frames that it leaves out a decoder doesn't tell that they are damaged.
        const bool skip = m_packet->pts < m_skipBefore && !isHidden;
        m_codec->skip_frame = skip ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
    }
    if (m_check.isDamaged(*m_packet)) {
        noteRefused();
        av_packet_unref(m_packet.get());
        return true;
    }
    // Of a stream that follows another one in the same file.
    const bool isHeader = m_codec->codec_id == AV_CODEC_ID_THEORA && (m_packet->data[0] & 0x80) != 0;
    const int sent = avcodec_send_packet(m_codec.get(), m_packet.get());
    av_packet_unref(m_packet.get());
    // A damaged packet costs its own frame, not the clip.
    if (sent == AVERROR(ENOMEM)) return avError("decoding", sent);
    if (sent < 0 && !isHeader) noteRefused();
    return true;
}

/// The decoder didn't take a packet, one of as many as it has threads.
void FfmpegClip::noteRefused() {
    ++(m_hasFrame ? m_refused : m_refusedBefore);
    if (!m_index.isExact()) return;
    const int first = std::max(0, m_lastFed - std::max(m_codec->thread_count, 1) + 1);
    for (int place = first; place <= m_lastFed; ++place)
        m_hidden.refused(m_index.packets()[std::size_t(place)]);
}

/// The next frame in presentation order into m_frame; false at the end of the clip.
Result<bool> FfmpegClip::receive() {
    while (true) {
        const int status = avcodec_receive_frame(m_codec.get(), m_frame.get());
        if (status == 0) return m_hasFrame = true;
        if (status == AVERROR_EOF) return false;
        if (status == AVERROR(ENOMEM)) return avError("decoding", status);
        if (status != AVERROR(EAGAIN)) noteRefused();
        auto fed = feed();
        if (!fed) return fed.error();
        if (!*fed) return false;
    }
}

/// As people count, and tiles do: "frame 7 of 24".
std::string FfmpegClip::nameOf(int index) const {
    return "frame " + std::to_string(index + 1) + " of " + std::to_string(m_info.frameCount());
}

Result<FramePtr> FfmpegClip::keep(int index) {
    if (m_info.width == 0) {
        Display display = m_reader.display(*m_frame);
        m_info.sampleAspect = aspectOf(display);
        m_info.track.isOblique = display.isOblique;
        if (!m_stretches) display.sampleAspect = {1, 1};
        m_extractor.setDisplay(display);
    }
    auto planes = m_extractor.extract(*m_frame);
    if (!planes) return planes.error();
    YuvFrame& picture = **planes;
    if (m_info.width == 0) {
        m_info.width = picture.width;
        m_info.height = picture.height;
    }
    if (picture.width != m_info.width || picture.height != m_info.height)
        return Error{ErrorCode::Unsupported, nameOf(index) + " is " + std::to_string(picture.width) + "x" +
                                                 std::to_string(picture.height) + ", the clip began as " +
                                                 std::to_string(m_info.width) + "x" +
                                                 std::to_string(m_info.height)};
    picture.index = index;
    picture.seconds = m_info.frameSeconds[std::size_t(index)];
    FramePtr shared = std::move(*planes);
    m_cache.add(shared);
    return shared;
}

Result<FramePtr> FfmpegClip::decodeUpTo(int index) {
    const Error undecodable{ErrorCode::InvalidData, nameOf(index) + " can't be decoded"};
    // Of the frames on the way only those that stay in the cache are worth their pixels.
    const std::size_t pixels = std::size_t(m_info.width) * std::size_t(m_info.height);
    const std::size_t room = pixels == 0 ? 1 : std::max<std::size_t>(1, m_cache.maxBytes() / (2 * pixels));
    const int keepFrom = int(std::max<std::int64_t>(0, std::int64_t(index) + 1 - std::int64_t(room)));
    if (m_index.isExact()) m_skipBefore = m_index.stamps()[std::size_t(keepFrom)];

    while (true) {
        auto got = receive();
        if (!got) return got.error();
        if (!*got) return undecodable;
        const std::optional<int> shown =
            m_index.isExact() ? m_index.frameWith(m_frame->pts) : std::optional<int>(m_lastShown + 1);
        const bool isMadeUp =
            m_frame->decode_error_flags != 0 || (m_frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
        if (!shown || *shown >= m_info.frameCount()) {
            if (m_index.isExact()) m_hidden.came(m_frame->pts, isMadeUp);
            continue;
        }
        m_lastShown = *shown;
        const bool lacksHidden = m_index.isExact() && m_hidden.lackBefore(m_frame->pts);
        if (*shown < keepFrom) continue;
        // The decoder made up a part of the picture, or of one before the clip's begin: it isn't what was
        // written.
        if (isMadeUp || lacksHidden) {
            if (*shown >= index) return undecodable;
            continue;
        }
        auto kept = keep(*shown);
        if (*shown == index) return kept;
        if (*shown > index) return undecodable;
    }
}

}  // namespace

Result<std::unique_ptr<Clip>> openClip(const fs::path& path, const ClipOptions& options) {
    auto reader = PacketReader::open(path);
    if (!reader) return reader.error().in(path.string());
    auto index = reader->readIndex();
    if (!index) return index.error().in(path.string());
    auto codec = openDecoder(reader->stream(), *index, options.threads);
    if (!codec) return codec.error().in(path.string());
    auto clip =
        std::make_unique<FfmpegClip>(path, std::move(*reader), std::move(*index), std::move(*codec), options);
    if (auto prepared = clip->prepare(); !prepared) return prepared.error().in(path.string());
    return std::unique_ptr<Clip>(std::move(clip));
}

Result<std::unique_ptr<Clip>> Clip::open(const fs::path& path) {
    return openClip(path, {});
}

}  // namespace reelgrid::media

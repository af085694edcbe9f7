#include "core/media/packet_reader.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/media/av_error.h"
#include "core/media/damage/missing_end.h"
#include "core/media/damage/mp4_fragment.h"
#include "core/media/image_limits.h"
#include "core/media/input_file.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

/// Decoding a little to find out takes longer than all the rest of opening.
bool headerTellsAll(const AVFormatContext& input) {
    if (formatOf(input).streams != StreamsInHeader::Fully) return false;
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVCodecParameters& parameters = *input.streams[i]->codecpar;
        if (parameters.codec_type != AVMEDIA_TYPE_VIDEO) continue;
        if (parameters.codec_id == AV_CODEC_ID_NONE || parameters.width <= 0 || parameters.height <= 0)
            return false;
    }
    return true;
}

/// Video of which something was found that can be decoded, but for pictures that are a cover or show where to
/// seek to.
std::vector<int> videoTracks(const AVFormatContext& input) {
    constexpr int kNoClip = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS;
    std::vector<int> tracks;
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVStream& stream = *input.streams[i];
        const AVCodecParameters& coded = *stream.codecpar;
        if (coded.codec_type == AVMEDIA_TYPE_VIDEO && coded.width > 0 &&
            (stream.disposition & kNoClip) == 0 && avcodec_find_decoder(coded.codec_id) != nullptr)
            tracks.push_back(int(i));
    }
    return tracks;
}

/// Their numbers in the file.
std::set<std::int64_t> otherTracks(const AVFormatContext& input, int stream) {
    std::set<std::int64_t> others;
    for (unsigned i = 0; i < input.nb_streams; ++i)
        if (int(i) != stream) others.insert(input.streams[i]->id);
    return others;
}

/// Which of the file's video tracks a stream is, 0 the first; covers are none.
int placeAmongVideo(const AVFormatContext& input, int stream) {
    const auto isTrack = [](const AVStream* each) {
        return each->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
               (each->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0;
    };
    return int(std::count_if(input.streams, input.streams + stream, isTrack));
}

/// The one that the file marks as such, else the first.
int usualTrack(const AVFormatContext& input, const std::vector<int>& tracks) {
    const auto marked = std::ranges::find_if(
        tracks, [&](int track) { return (input.streams[track]->disposition & AV_DISPOSITION_DEFAULT) != 0; });
    return marked == tracks.end() ? tracks.front() : *marked;
}

/// "15 frames of 2.00 s" where the header says how long the clip is.
std::string framesFound(const PacketIndex& index, std::int64_t duration) {
    std::string found = std::to_string(index.packets().size()) + " frames";
    if (duration == AV_NOPTS_VALUE || duration <= 0) return found + " are there";
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%.2f", double(duration) / AV_TIME_BASE);
    return found + " of " + seconds.data() + " s are there";
}

/// Of a picture without gaps, as containers of raw video have it; 0 where that isn't known.
std::int64_t rawPictureBytes(const AVCodecParameters& video) {
    constexpr int kNoGaps = 1;
    return std::max(
        0, av_image_get_buffer_size(AVPixelFormat(video.format), video.width, video.height, kNoGaps));
}

}  // namespace

PacketReader::PacketReader(fs::path path, InputHandle input, int stream)
    : m_path(std::move(path)),
      m_input(std::move(input)),
      m_stream(stream),
      m_headerDuration(m_input->duration),
      m_held(av_packet_alloc()) {
    selectStream();
}

void PacketReader::selectStream() {
    for (unsigned i = 0; i < m_input->nb_streams; ++i)
        m_input->streams[i]->discard = int(i) == m_stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
}

Result<PacketReader> PacketReader::open(const fs::path& path) {
    auto opened = openInput(path);
    if (!opened) return opened.error();
    InputHandle input = std::move(*opened);
    if (!headerTellsAll(*input))
        if (const int code = probeStreams(*input); code < 0)
            return avError("its streams can't be read", code);
    const std::vector<int> tracks = videoTracks(*input);
    const int stream = tracks.empty()
                           ? av_find_best_stream(input.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0)
                           : usualTrack(*input, tracks);
    if (stream < 0) return Error{ErrorCode::InvalidData, "it has no video that can be decoded"};
    const AVCodecParameters& parameters = *input->streams[stream]->codecpar;
    if (parameters.width <= 0 || parameters.height <= 0)
        return Error{ErrorCode::InvalidData, std::string("the size of its pictures (") +
                                                 avcodec_get_name(parameters.codec_id) +
                                                 ") can't be found: they are damaged, or of a codec that "
                                                 "FFmpeg " +
                                                 av_version_info() + " doesn't know in this container"};
    if (!isSaneSize(parameters.width, parameters.height))
        return Error{ErrorCode::InvalidData, "its picture size is " + std::to_string(parameters.width) + "x" +
                                                 std::to_string(parameters.height) + ", 1x1 to " +
                                                 std::to_string(kMaxSide) + "x" + std::to_string(kMaxSide) +
                                                 " and at most " + std::to_string(kMaxPixels) +
                                                 " pixels were expected"};
    return PacketReader(path, std::move(input), stream);
}

/// What the file lists beside what the demuxer made of it.
void PacketReader::compareWithFile(PacketIndex& index) const {
    const AVStream& video = stream();
    const std::string_view demuxer = m_input->iformat->name;
    if (isMp4(*m_input->iformat)) {
        const std::int64_t samples = samplesOfFragments(m_path, video.id, otherTracks(*m_input, m_stream));
        if (samples > 0) index.expect(video.nb_frames + samples);
    } else if (demuxer == "matroska,webm") {
        index.expect(blocksOfMatroska(m_path, placeAmongVideo(*m_input, m_stream)));
    } else if (demuxer == "gif") {
        index.expect(picturesOfGif(m_path));
    } else if (demuxer == "mxf") {
        const PicturesOfMxf pictures = picturesOfMxf(m_path);
        index.expect(pictures.frames);
        index.expectGaps(pictures.gaps);
    } else if (demuxer == "mpegts") {
        // FFmpeg's demuxer passes over those within the first frame, and takes joined segments for some.
        index.setGaps(gapsOfTransportStream(m_path, video.id));
    } else if (demuxer == "mpeg") {
        const AVCodecID codec = video.codecpar->codec_id;
        const bool hasNalUnits = codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC;
        index.expectGaps(gapsOfProgramStream(m_path, hasNalUnits));
    }
}

Result<PacketIndex> PacketReader::readIndex() {
    m_atStart = false;
    auto index = PacketIndex::read(*m_input, m_stream);
    if (!index) return index;
    const ContainerFormat& format = formatOf(*m_input);
    const EndCheck missingEnd = format.missingEnd;
    const auto missing =
        missingEnd == nullptr ? std::nullopt : missingEnd(m_path, rawPictureBytes(*stream().codecpar));
    if (!missing) {
        compareWithFile(*index);
        return index;
    }
    // Where the header says no duration, FFmpeg takes what is left of the clip for all of it.
    const std::int64_t duration =
        format.streams == StreamsInHeader::Fully ? m_headerDuration : AV_NOPTS_VALUE;
    return Error{ErrorCode::InvalidData,
                 "the file is cut short or damaged: " + framesFound(*index, duration) + ", " + *missing};
}

TrackChoice PacketReader::track() const {
    const std::vector<int> tracks = videoTracks(*m_input);
    const auto own = std::ranges::find(tracks, m_stream);
    return {.number = int(own - tracks.begin()) + 1, .of = int(tracks.size())};
}

Display PacketReader::display(AVFrame& frame) const {
    return displayOf(*m_input, *m_input->streams[m_stream], frame);
}

AVRational PacketReader::guessedRate() const {
    return av_guess_frame_rate(m_input.get(), m_input->streams[m_stream], nullptr);
}

double PacketReader::saidSeconds() const {
    constexpr double kMostSeconds = 1e8;  // some years: beyond are times of day
    constexpr std::array<std::string_view, 4> kSay{"matroska,webm", "nut", "flv", "asf"};
    const auto isMedium = [](const AVStream* stream) {
        return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO ||
               stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO ||
               stream->codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE;
    };
    const std::span streams(m_input->streams, m_input->nb_streams);
    if (std::ranges::find(kSay, m_input->iformat->name) == kSay.end() || m_headerDuration <= 0 ||
        std::ranges::count_if(streams, isMedium) != 1)
        return 0;
    const double said = double(m_headerDuration) / AV_TIME_BASE;
    return said < kMostSeconds ? said : 0;
}

int PacketReader::next(AVPacket& packet) {
    m_atStart = false;
    if (m_holds) {
        m_holds = false;
        av_packet_unref(&packet);
        av_packet_move_ref(&packet, m_held.get());
        return 0;
    }
    while (true) {
        av_packet_unref(&packet);
        const int status = av_read_frame(m_input.get(), &packet);
        if (status < 0) return status;
        if (packet.stream_index == m_stream && packet.size > 0) return 0;
    }
}

Result<void> PacketReader::rewind() {
    m_holds = false;
    if (m_atStart) return {};
    // Opening again is the one way back that every container has.
    auto reopened = openInput(m_path);
    if (!reopened) return reopened.error().in("on a second reading");
    InputHandle fresh = std::move(*reopened);
    // Some stamps (MPEG-PS, raw streams) and streams are known only after the probe.
    const int status = headerTellsAll(*fresh) ? 0 : probeStreams(*fresh);
    if (status < 0 || int(fresh->nb_streams) <= m_stream)
        return Error{ErrorCode::InvalidData, "its video is gone on a second reading"};
    m_input = std::move(fresh);
    selectStream();
    m_atStart = true;
    return {};
}

bool PacketReader::landsAtOrBefore(const PacketIndex& index, int packet, std::int64_t stamp) {
    if (stamp == AV_NOPTS_VALUE) return false;
    m_holds = false;
    if (av_seek_frame(m_input.get(), m_stream, stamp, AVSEEK_FLAG_BACKWARD) < 0) return false;
    if (next(*m_held) < 0) return false;
    m_holds = true;
    const auto landed = index.packetWith(m_held->pts);
    return landed && *landed <= packet;
}

Result<void> PacketReader::seekTo(const PacketIndex& index, int packet) {
    const PacketIndex::Packet& wanted = index.packets()[std::size_t(packet)];
    // Containers differ in whether they look up decoding or presentation stamps: see where each lands.
    if (!landsAtOrBefore(index, packet, wanted.pts) && !landsAtOrBefore(index, packet, wanted.dts)) {
        m_atStart = false;
        if (auto done = rewind(); !done) return done;
    }
    while (true) {
        if (!m_holds) {
            if (const int status = next(*m_held); status < 0) return avError("while seeking", status);
            m_holds = true;
        }
        if (m_held->pts == wanted.pts) return {};
        m_holds = false;
    }
}

}  // namespace reelgrid::media

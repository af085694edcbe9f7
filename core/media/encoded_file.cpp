#include "core/media/encoded_file.h"

#include <algorithm>
#include <string>

#include "core/media/av_error.h"
#include "core/media/sound_copy.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

AVPixelFormat encodedFormat(const Encoding& encoding) {
    return encoding.pictures == EncodedPictures::Palette ? AV_PIX_FMT_PAL8 : sinkFormat(encoding);
}

/// Parts of a picture that are decoded side by side. FFmpeg's FFV1 takes products of two numbers alone, and
/// at least 4 where a side is above 352 or 288.
int slicesFor(int width, int height) {
    constexpr int kSmallSide = 64;
    if (std::min(width, height) < kSmallSide && width <= 352 && height <= 288) return 1;
    const int pixels = width * height;
    return pixels <= 640 * 480 ? 4 : pixels <= 1280 * 720 ? 12 : 24;
}

/// FFmpeg 6.1's FFV1 doesn't read parts back that are one pixel wide, which it makes of 3 by 700.
constexpr int kSmallestSide = 4;

}  // namespace

EncodedFile::EncodedFile(PendingFile pending, const SinkOptions& options, const Encoding& encoding)
    : m_pending(std::move(pending)), m_options(options), m_encoding(encoding), m_packet(av_packet_alloc()) {}

EncodedFile::~EncodedFile() {
    if (m_output == nullptr) return;
    avio_closep(&m_output->pb);
    avformat_free_context(m_output);
}

Result<std::unique_ptr<EncodedFile>> EncodedFile::open(const fs::path& path, const SinkOptions& options,
                                                       const Encoding& encoding) {
    silenceAvLog();
    auto pending = PendingFile::create(path);
    if (!pending) return pending.error();
    std::unique_ptr<EncodedFile> file(new EncodedFile(std::move(*pending), options, encoding));
    if (auto opened = file->openEncoder(); !opened) return opened.error().in(path.string());
    if (auto opened = file->openContainer(); !opened) return opened.error();
    return file;
}

Result<void> EncodedFile::openEncoder() {
    const Encoding& recipe = m_encoding;
    const AVCodec* encoder = avcodec_find_encoder_by_name(recipe.encoder);
    if (encoder == nullptr)
        return Error{ErrorCode::Unsupported,
                     std::string("this machine's FFmpeg has no encoder ") + recipe.encoder};
    m_codec.reset(avcodec_alloc_context3(encoder));
    if (!m_codec) return Error{ErrorCode::OutOfMemory, "no memory for an encoder"};
    AVCodecContext& codec = *m_codec;
    codec.width = m_options.width;
    codec.height = m_options.height;
    codec.pix_fmt = encodedFormat(recipe);
    codec.time_base = {int(m_options.fps.den), int(m_options.fps.num)};
    codec.framerate = {int(m_options.fps.num), int(m_options.fps.den)};
    codec.thread_count = m_options.threads;
    codec.flags |= AV_CODEC_FLAG_BITEXACT;
    if (recipe.pictures == EncodedPictures::Rgb) {
        codec.slices = slicesFor(codec.width, codec.height);
        if (codec.slices > 1 && std::min(codec.width, codec.height) < kSmallestSide)
            return Error{ErrorCode::BadUsage,
                         "pictures of " + std::to_string(codec.width) + "x" + std::to_string(codec.height) +
                             " can't be kept without loss: at least " + std::to_string(kSmallestSide) +
                             " pixels were needed each way"};
        codec.color_range = AVCOL_RANGE_JPEG;
        codec.colorspace = AVCOL_SPC_RGB;
    } else if (recipe.pictures != EncodedPictures::Palette) {
        // A key frame every two seconds: these clips are made to be stepped and sought through.
        codec.gop_size = std::max(12, int(2 * m_options.fps.value()));
        codec.color_range = AVCOL_RANGE_MPEG;
        codec.colorspace = m_options.matrix == ColorMatrix::Bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
        if (m_options.matrix == ColorMatrix::Bt709) {
            codec.color_primaries = AVCOL_PRI_BT709;
            codec.color_trc = AVCOL_TRC_BT709;
        }
    }
    const AVOutputFormat* muxer = av_guess_format(recipe.muxer, nullptr, nullptr);
    if (muxer != nullptr && (muxer->flags & AVFMT_GLOBALHEADER) != 0)
        codec.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    AVDictionary* settings = nullptr;
    av_dict_parse_string(&settings, recipe.encoderSettings, "=", ":", 0);
    const int status = avcodec_open2(&codec, encoder, &settings);
    av_dict_free(&settings);
    if (status < 0) return avError(std::string("encoder ") + recipe.encoder, status);
    return {};
}

Result<void> EncodedFile::openContainer() {
    const Encoding& recipe = m_encoding;
    if (const int status = avformat_alloc_output_context2(&m_output, nullptr, recipe.muxer, nullptr);
        status < 0)
        return avError(std::string("container ") + recipe.muxer, status);
    m_output->flags |= AVFMT_FLAG_BITEXACT;
    if (!m_options.comment.empty()) av_dict_set(&m_output->metadata, "comment", m_options.comment.c_str(), 0);
    m_stream = avformat_new_stream(m_output, nullptr);
    if (m_stream == nullptr) return Error{ErrorCode::OutOfMemory, "no memory for a stream"};
    m_stream->time_base = m_codec->time_base;
    m_stream->avg_frame_rate = m_codec->framerate;
    if (const int status = avcodec_parameters_from_context(m_stream->codecpar, m_codec.get()); status < 0)
        return avError("stream parameters", status);
    if (auto added = addSoundStream(); !added) return added;
    const std::string url = "file:" + m_pending.path().string();
    // movflags' faststart reads the file back under this name.
    m_output->url = av_strdup(url.c_str());
    if (const int status = avio_open2(&m_output->pb, url.c_str(), AVIO_FLAG_WRITE, nullptr, nullptr);
        status < 0)
        return writeError(status);
    AVDictionary* settings = nullptr;
    av_dict_parse_string(&settings, recipe.muxerSettings, "=", ":", 0);
    const int status = avformat_write_header(m_output, &settings);
    av_dict_free(&settings);
    if (status < 0) return writeError(status);
    return {};
}

Result<void> EncodedFile::addSoundStream() {
    if (!m_options.sound) return {};
    m_soundStream = avformat_new_stream(m_output, nullptr);
    if (m_soundStream == nullptr) return Error{ErrorCode::OutOfMemory, "no memory for a stream"};
    const AVStream& from = m_options.sound->stream();
    if (const int status = avcodec_parameters_copy(m_soundStream->codecpar, from.codecpar); status < 0)
        return avError("stream parameters", status);
    m_soundStream->codecpar->codec_tag = 0;  // another container has another one
    m_soundStream->time_base = from.time_base;
    return {};
}

Result<void> EncodedFile::writeSound(double seconds) {
    if (m_soundStream == nullptr) return {};
    while (AVPacket* packet = m_options.sound->next(seconds)) {
        packet->stream_index = m_soundStream->index;
        av_packet_rescale_ts(packet, m_options.sound->stream().time_base, m_soundStream->time_base);
        const int written = av_interleaved_write_frame(m_output, packet);
        if (written < 0 || m_output->pb->error < 0) return writeError(written);
    }
    return {};
}

Error EncodedFile::writeError(int status) const {
    // The first failed write is the cause; what the muxer makes of it later may be anything.
    if (m_output->pb != nullptr && m_output->pb->error < 0) status = m_output->pb->error;
    Error error = avError("can't write " + m_pending.finalPath().string(), status);
    if (error.code == ErrorCode::InvalidData) error.code = ErrorCode::Io;
    return error;
}

Result<void> EncodedFile::writePackets() {
    while (true) {
        const int status = avcodec_receive_packet(m_codec.get(), m_packet.get());
        if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return {};
        if (status < 0) return avError("encoding " + m_pending.finalPath().string(), status);
        const double seconds = double(m_packet->pts) * av_q2d(m_codec->time_base);
        if (auto written = writeSound(seconds); !written) return written;
        m_packet->stream_index = m_stream->index;
        // Encoders leave the duration out; without it the last frame would have none.
        m_packet->duration = 1;
        av_packet_rescale_ts(m_packet.get(), m_codec->time_base, m_stream->time_base);
        const int written = av_interleaved_write_frame(m_output, m_packet.get());
        if (written < 0 || m_output->pb->error < 0) return writeError(written);
    }
}

Result<void> EncodedFile::add(AVFrame& picture) {
    picture.pts = m_count++;
    picture.pict_type = AV_PICTURE_TYPE_NONE;
    if (const int status = avcodec_send_frame(m_codec.get(), &picture); status < 0)
        return avError("encoding " + m_pending.finalPath().string(), status);
    return writePackets();
}

Result<void> EncodedFile::finish() {
    if (m_count == 0)
        return Error{ErrorCode::BadUsage,
                     m_pending.finalPath().string() + ": a clip needs at least one frame"};
    if (const int status = avcodec_send_frame(m_codec.get(), nullptr); status < 0)
        return avError("encoding " + m_pending.finalPath().string(), status);
    if (auto written = writePackets(); !written) return written;
    const double end = double(m_count) / m_options.fps.value();
    if (auto written = writeSound(end); !written) return written;
    const int trailer = av_write_trailer(m_output);
    if (trailer < 0 || m_output->pb->error < 0) return writeError(trailer);
    if (const int closed = avio_closep(&m_output->pb); closed < 0) return writeError(closed);
    return m_pending.commit();
}

}  // namespace reelgrid::media

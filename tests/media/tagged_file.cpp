#include "tests/media/tagged_file.h"

#include <gtest/gtest.h>

#include "core/base/pending_file.h"
#include "core/media/av_handles.h"
#include "core/media/writer.h"

extern "C" {
#include <libavutil/bswap.h>
#include <libavutil/crc.h>
#include <libavutil/dict.h>
}

namespace reelgrid::media {
namespace {

std::string bigEndian(std::uint32_t value) {
    return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

std::string chunk(const std::string& type, const std::string& data) {
    const std::string body = type + data;
    const std::uint32_t crc =
        av_bswap32(~av_crc(av_crc_get_table(AV_CRC_32_IEEE), ~0U,
                           reinterpret_cast<const std::uint8_t*>(body.data()), body.size()));
    return bigEndian(std::uint32_t(data.size())) + body + bigEndian(crc);
}

/// Copies the packets of a clip into another file with tags.
void remux(const std::filesystem::path& from, const std::filesystem::path& to, const Tags& tags) {
    AVFormatContext* input = nullptr;
    ASSERT_GE(avformat_open_input(&input, from.c_str(), nullptr, nullptr), 0);
    ASSERT_GE(avformat_find_stream_info(input, nullptr), 0);
    AVFormatContext* output = nullptr;
    ASSERT_GE(avformat_alloc_output_context2(&output, nullptr, nullptr, to.c_str()), 0);
    AVStream* stream = avformat_new_stream(output, nullptr);
    avcodec_parameters_copy(stream->codecpar, input->streams[0]->codecpar);
    stream->codecpar->codec_tag = 0;
    stream->time_base = input->streams[0]->time_base;
    for (const auto& [name, text] : tags) av_dict_set(&output->metadata, name.c_str(), text.c_str(), 0);
    ASSERT_GE(avio_open(&output->pb, to.c_str(), AVIO_FLAG_WRITE), 0);
    AVDictionary* options = nullptr;
    if (to.extension() == ".mp4") av_dict_set(&options, "movflags", "use_metadata_tags", 0);
    ASSERT_GE(avformat_write_header(output, &options), 0);
    av_dict_free(&options);
    const PacketHandle packet(av_packet_alloc());
    while (av_read_frame(input, packet.get()) >= 0) {
        av_packet_rescale_ts(packet.get(), input->streams[0]->time_base, stream->time_base);
        packet->stream_index = 0;
        packet->pos = -1;
        ASSERT_GE(av_interleaved_write_frame(output, packet.get()), 0);
    }
    ASSERT_GE(av_write_trailer(output), 0);
    avio_closep(&output->pb);
    avformat_free_context(output);
    avformat_close_input(&input);
}

}  // namespace

void writeTaggedClip(const std::filesystem::path& path, const Tags& tags) {
    const std::filesystem::path plain = path.parent_path() / ("plain" + path.extension().string());
    RgbVideo video{.width = 64, .height = 48, .fps = {16, 1}, .pixels = {}};
    video.pixels.assign(video.frameBytes() * 4, 90);
    writeClip(plain, video).value();
    remux(plain, path, tags);
    std::filesystem::remove(plain);
}

void writeTaggedPng(const std::filesystem::path& path, const Tags& tags) {
    std::string bytes = "\x89PNG\r\n\x1a\n";
    bytes += chunk("IHDR", bigEndian(1) + bigEndian(1) + std::string("\x08\0\0\0\0", 5));
    for (const auto& [name, text] : tags) bytes += chunk("tEXt", name + '\0' + text);
    // One grey pixel: zlib's stored block of the filter's byte and the pixel, and their Adler-32.
    bytes += chunk("IDAT", std::string("\x78\x01\x01\x02\0\xfd\xff\0\x80\0\x82\0\x81", 13));
    bytes += chunk("IEND", "");
    writeFile(path, bytes).value();
}

}  // namespace reelgrid::media

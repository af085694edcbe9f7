#include "core/media/input_file.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/media/av_error.h"
#include "core/media/damage/byte_walk.h"
#include "core/media/damage/mp4_counts.h"
#include "core/media/image_limits.h"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/dict.h>
}

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

const ContainerFormat* formatReadBy(const AVInputFormat& demuxer) {
    for (const ContainerFormat& format : containerFormats())
        if (av_match_name(format.demuxer, demuxer.name) != 0) return &format;
    return nullptr;
}

int refuseSecondFile(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
    return AVERROR(EPERM);
}

Result<FileHandle> openFile(const fs::path& path) {
    std::error_code failed;
    const fs::file_status found = fs::status(path, failed);
    if (found.type() == fs::file_type::not_found) return Error{ErrorCode::NotFound, "no such file"};
    if (failed) return Error{ErrorCode::Io, "can't be opened: " + failed.message()};
    // FFmpeg would wait for a pipe that nobody writes to.
    if (!fs::is_regular_file(found)) return Error{ErrorCode::InvalidData, "not a regular file"};
    // "file:" keeps a name with a colon from being taken for a protocol.
    const std::string url = "file:" + path.string();
    AVDictionary* options = nullptr;
    av_dict_set(&options, "protocol_whitelist", "file", 0);
    AVIOContext* file = nullptr;
    const int status = avio_open2(&file, url.c_str(), AVIO_FLAG_READ, nullptr, &options);
    av_dict_free(&options);
    if (status < 0) return avError("can't be opened", status);
    return FileHandle(file);
}

Error refusal(const std::string& contents) {
    return {ErrorCode::InvalidData, "it holds \"" + contents + "\", a clip in one file (" +
                                        usualContainers() + " or another video container) was needed"};
}

/// FFmpeg 7 knows a playlist by its name only, which has no say here.
bool isPlaylist(AVIOContext& file) {
    constexpr std::string_view kStart = "#EXTM3U";
    std::array<unsigned char, kStart.size()> start{};
    const bool is = avio_read(&file, start.data(), int(start.size())) == int(start.size()) &&
                    std::ranges::equal(start, kStart);
    avio_seek(&file, 0, SEEK_SET);
    return is;
}

/// Whether a second JPEG picture follows the first one, as in a stream of Motion JPEG.
bool isMotionJpeg(const fs::path& path) {
    constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
    return ByteWalk(path).findText("\xFF\xD9\xFF\xD8", kMostBytes);  // an end and a begin
}

/// What the file holds; its name has no say.
Result<const AVInputFormat*> demuxerOf(const fs::path& path, AVIOContext& file) {
    if (isPlaylist(file)) return refusal("Apple HTTP Live Streaming");
    const AVInputFormat* demuxer = nullptr;
    const int score = av_probe_input_buffer2(&file, &demuxer, "", nullptr, 0, 0);
    if (score < 0 || demuxer == nullptr)
        return Error{ErrorCode::InvalidData, "not a video, or cut short before its contents are listed"};
    if (std::string_view(demuxer->name) == "jpeg_pipe" && isMotionJpeg(path))
        demuxer = av_find_input_format("mjpeg");
    if (formatReadBy(*demuxer) == nullptr)
        return refusal(demuxer->long_name != nullptr ? demuxer->long_name : demuxer->name);
    return demuxer;
}

}  // namespace

const ContainerFormat& formatOf(const AVFormatContext& input) {
    return *formatReadBy(*input.iformat);
}

int probeStreams(AVFormatContext& input) {
    const unsigned count = input.nb_streams;
    std::vector<AVDictionary*> options(count, nullptr);
    for (AVDictionary*& dictionary : options) {
        av_dict_set(&dictionary, "threads", "1", 0);
        av_dict_set_int(&dictionary, "max_pixels", kMaxPixels, 0);
    }
    const int status = avformat_find_stream_info(&input, options.empty() ? nullptr : options.data());
    for (AVDictionary*& dictionary : options) av_dict_free(&dictionary);
    return status;
}

Result<InputHandle> openInput(const fs::path& path) {
    silenceAvLog();
    auto file = openFile(path);
    if (!file) return file.error();
    auto demuxer = demuxerOf(path, **file);
    if (!demuxer) return demuxer.error();
    if (isMp4(**demuxer))
        if (const auto impossible = impossibleMp4Numbers(path))
            return Error{ErrorCode::InvalidData, *impossible};

    AVFormatContext* context = avformat_alloc_context();
    if (context == nullptr) return Error{ErrorCode::OutOfMemory, "no memory to read it"};
    context->pb = file->get();
    context->io_open = refuseSecondFile;
    AVDictionary* options = nullptr;
    // For what a container might open past io_open: nothing is called "none".
    av_dict_set(&options, "protocol_whitelist", "none", 0);
    av_dict_set(&options, "format_whitelist", (*demuxer)->name, 0);
    // Frees the context when it fails.
    const int status = avformat_open_input(&context, "", *demuxer, &options);
    av_dict_free(&options);
    if (status == AVERROR_INVALIDDATA)
        return Error{ErrorCode::InvalidData, "not a video, or cut short before its contents are listed"};
    if (status == AVERROR(ENOMEM))
        return Error{ErrorCode::OutOfMemory, "no memory for what its header lists"};
    // Such as YUV4MPEG's of pictures beyond what FFmpeg can count, whose code says something else.
    if (status < 0 && status != AVERROR(EIO))
        return Error{ErrorCode::InvalidData, "its header is damaged, or says what FFmpeg can't read"};
    if (status < 0) return avError("can't be opened", status);
    file->release();  // the context's now
    return InputHandle(context);
}

bool isMp4(const AVInputFormat& demuxer) {
    return av_match_name("mov", demuxer.name) != 0;
}

}  // namespace reelgrid::media

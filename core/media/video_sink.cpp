#include "core/media/video_sink.h"

#include <string>

#include "core/media/av_error.h"
#include "core/media/encoded_file.h"
#include "core/media/gif_file.h"
#include "core/media/image_limits.h"

namespace reelgrid::media {
namespace fs = std::filesystem;

AVPixelFormat sinkFormat(const Encoding& encoding) {
    switch (encoding.pictures) {
        case EncodedPictures::Yuv420:
            break;
        case EncodedPictures::Yuv420Deep:
            return AV_PIX_FMT_YUV420P10;
        case EncodedPictures::Yuv444Deep:
            return AV_PIX_FMT_YUV444P10;
        case EncodedPictures::Rgb:
            return AV_PIX_FMT_BGR0;
        case EncodedPictures::Palette:
            return AV_PIX_FMT_RGB24;
    }
    return AV_PIX_FMT_YUV420P;
}

int sinkSide(const Encoding& encoding, int side) {
    const int step = encoding.sideStep;
    return (side + step - 1) / step * step;
}

Result<FrameHandle> makePicture(int width, int height, AVPixelFormat format) {
    FrameHandle picture(av_frame_alloc());
    if (!picture) return Error{ErrorCode::OutOfMemory, "no memory for a picture"};
    picture->width = width;
    picture->height = height;
    picture->format = format;
    if (const int status = av_frame_get_buffer(picture.get(), 64); status < 0)
        return avError("a picture of " + std::to_string(width) + "x" + std::to_string(height), status);
    return picture;
}

Result<void> checkSink(const fs::path& path, const SinkOptions& options) {
    if (!isSaneSize(options.width, options.height))
        return Error{ErrorCode::BadUsage,
                     path.string() + ": a picture size of " + std::to_string(options.width) + "x" +
                         std::to_string(options.height) + " was asked for, 1x1 to " +
                         std::to_string(kMaxSide) + "x" + std::to_string(kMaxSide) + " and at most " +
                         std::to_string(kMaxPixels) + " pixels can be written"};
    const Rational fps = options.fps;
    const int limit = encodingOf(options.container).maxRate;
    constexpr std::int64_t kMaxTerm = 1 << 30;
    if (fps.num <= 0 || fps.den <= 0 || fps.num > kMaxTerm || fps.den > kMaxTerm || fps.value() > limit)
        return Error{ErrorCode::BadUsage, path.string() + ": " + std::to_string(fps.num) + "/" +
                                              std::to_string(fps.den) +
                                              " frames a second were asked for, more than 0 and at most " +
                                              std::to_string(limit) + " can be written"};
    return {};
}

Result<std::unique_ptr<VideoSink>> VideoSink::create(const fs::path& path, const SinkOptions& options) {
    if (auto checked = checkSink(path, options); !checked) return checked.error();
    auto encoding = encodingOf(options.container, options.fidelity);
    if (!encoding) return encoding.error().in(path.string());
    SinkOptions sized = options;
    sized.width = sinkSide(*encoding, options.width);
    sized.height = sinkSide(*encoding, options.height);
    if (encoding->pictures == EncodedPictures::Palette) {
        auto file = GifFile::open(path, sized);
        if (!file) return file.error();
        return std::unique_ptr<VideoSink>(std::move(*file));
    }
    auto file = EncodedFile::open(path, sized, *encoding);
    if (!file) return file.error();
    return std::unique_ptr<VideoSink>(std::move(*file));
}

}  // namespace reelgrid::media

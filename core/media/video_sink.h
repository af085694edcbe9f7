#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/frame.h"
#include "core/media/writer.h"

namespace reelgrid::media {

class SoundCopy;

/// How pictures become a file; shared by Writer and by the grid.
struct SinkOptions {
    int width = 0;
    int height = 0;
    Rational fps{16, 1};
    Container container = Container::Mp4;
    ColorMatrix matrix = ColorMatrix::Bt709;  ///< what YUV pictures are in; limited range always
    int threads = 0;
    Fidelity fidelity = Fidelity::Usual;
    std::shared_ptr<SoundCopy> sound{};  ///< goes into the file beside the pictures; null: none
    std::string comment{};               ///< the container's tag of that name, where it has tags
};

/// Takes pictures one after the other; the file has its name only when finish() succeeds.
class VideoSink {
  public:
    static Result<std::unique_ptr<VideoSink>> create(const std::filesystem::path& path,
                                                     const SinkOptions& options);
    virtual ~VideoSink() = default;

    /// `picture` has the sink's format and picture size; its stamp is set here.
    virtual Result<void> add(AVFrame& picture) = 0;
    virtual Result<void> finish() = 0;
};

/// What add() takes: YUV, rgb24 where the container has palettes, bgr0 where it keeps RGB.
AVPixelFormat sinkFormat(const Encoding& encoding);
constexpr bool isRgb(AVPixelFormat format) {
    return format == AV_PIX_FMT_RGB24 || format == AV_PIX_FMT_BGR0 || format == AV_PIX_FMT_GBRP;
}
/// The side of the pictures that add() takes for a wanted one: grown to the next that the container can have.
int sinkSide(const Encoding& encoding, int side);

/// A picture with room for the sink's format, each row 64-byte aligned.
Result<FrameHandle> makePicture(int width, int height, AVPixelFormat format);

/// BadUsage when no encoder could take these.
Result<void> checkSink(const std::filesystem::path& path, const SinkOptions& options);

}  // namespace reelgrid::media

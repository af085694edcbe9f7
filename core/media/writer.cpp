#include "core/media/writer.h"

#include <cstring>
#include <string>

#include "core/media/av_error.h"
#include "core/media/scaler.h"
#include "core/media/video_sink.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

/// Repeats the last column and row of a luma plane into the ones added to make its sides even; the chroma
/// planes cover them already.
void repeatEdges(AVFrame& picture, int width, int height) {
    const int stride = picture.linesize[0];
    std::uint8_t* luma = picture.data[0];
    if (picture.width > width)
        for (int row = 0; row < height; ++row) luma[row * stride + width] = luma[row * stride + width - 1];
    if (picture.height > height)
        std::memcpy(luma + std::ptrdiff_t(height) * stride, luma + std::ptrdiff_t(height - 1) * stride,
                    std::size_t(picture.width));
}

int bytesOf(FramePixels pixels) {
    return pixels == FramePixels::Rgb24 ? 3 : 4;
}

class SinkWriter final : public Writer {
  public:
    SinkWriter(fs::path path, const WriterOptions& options, std::unique_ptr<VideoSink> sink,
               ScalerHandle scaler)
        : m_path(std::move(path)), m_options(options), m_sink(std::move(sink)), m_scaler(std::move(scaler)) {}

    Result<void> write(std::span<const std::uint8_t> frame) override {
        const int stride = bytesOf(m_options.pixels) * m_options.width;
        const std::size_t expected = std::size_t(stride) * std::size_t(m_options.height);
        if (frame.size() != expected)
            return Error{ErrorCode::BadUsage, m_path.string() + ": a frame of " +
                                                  std::to_string(frame.size()) + " bytes was given, " +
                                                  std::to_string(expected) + " were needed"};
        // The encoder may hold on to earlier pictures, so each frame has its own.
        auto picture =
            makePicture(sinkSide(m_options.container, m_options.width),
                        sinkSide(m_options.container, m_options.height), sinkFormat(m_options.container));
        if (!picture) return picture.error();
        if (m_scaler) {
            const std::uint8_t* planes[4] = {frame.data(), nullptr, nullptr, nullptr};
            const int strides[4] = {stride, 0, 0, 0};
            const int rows = sws_scale(m_scaler.get(), planes, strides, 0, m_options.height, (*picture)->data,
                                       (*picture)->linesize);
            if (rows < 0) return avError(m_path.string(), rows);
            repeatEdges(**picture, m_options.width, m_options.height);
        } else {
            for (int row = 0; row < m_options.height; ++row)
                std::memcpy((*picture)->data[0] + std::ptrdiff_t(row) * (*picture)->linesize[0],
                            frame.data() + std::ptrdiff_t(row) * stride, std::size_t(stride));
        }
        return m_sink->add(**picture);
    }

    Result<void> finish() override { return m_sink->finish(); }

  private:
    fs::path m_path;
    WriterOptions m_options;
    std::unique_ptr<VideoSink> m_sink;
    ScalerHandle m_scaler;  // null where the sink takes RGB
};

}  // namespace

Result<std::unique_ptr<Writer>> Writer::create(const fs::path& path, const WriterOptions& options) {
    auto sink = VideoSink::create(path, {.width = options.width,
                                         .height = options.height,
                                         .fps = options.fps,
                                         .container = options.container,
                                         .matrix = ColorMatrix::Bt709,
                                         .threads = options.threads});
    if (!sink) return sink.error();
    ScalerHandle scaler;
    const AVPixelFormat given = options.pixels == FramePixels::Rgb24 ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_BGR0;
    if (const AVPixelFormat taken = sinkFormat(options.container); taken != given) {
        const ImageSpec from{options.width, options.height, given, SWS_CS_ITU709, true};
        const ImageSpec to{options.width, options.height, taken, SWS_CS_ITU709, taken == AV_PIX_FMT_RGB24};
        auto made = makeScaler(from, to);
        if (!made) return made.error().in(path.string());
        scaler = std::move(*made);
    }
    return std::unique_ptr<Writer>(
        std::make_unique<SinkWriter>(path, options, std::move(*sink), std::move(scaler)));
}

Result<void> writeClip(const fs::path& path, const RgbVideo& video) {
    auto container = containerOf(path);
    if (!container) return container.error();
    auto writer = Writer::create(path, {.width = video.width,
                                        .height = video.height,
                                        .fps = video.fps,
                                        .container = *container,
                                        .threads = 0});
    if (!writer) return writer.error();
    for (int i = 0; i < video.frameCount(); ++i)
        if (auto written = (*writer)->write(video.frame(i)); !written) return written;
    return (*writer)->finish();
}

}  // namespace reelgrid::media

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
    const std::ptrdiff_t bytes = picture.format == AV_PIX_FMT_YUV420P ? 1 : 2;
    const std::ptrdiff_t stride = picture.linesize[0];
    std::uint8_t* luma = picture.data[0];
    if (picture.width > width)
        for (int row = 0; row < height; ++row) {
            std::uint8_t* added = luma + row * stride + width * bytes;
            std::memcpy(added, added - bytes, std::size_t(bytes));
        }
    if (picture.height > height)
        std::memcpy(luma + height * stride, luma + (height - 1) * stride, std::size_t(picture.width * bytes));
}

int bytesOf(FramePixels pixels) {
    return pixels == FramePixels::Rgb24 ? 3 : 4;
}

class SinkWriter final : public Writer {
  public:
    SinkWriter(fs::path path, const WriterOptions& options, const Encoding& encoding,
               std::unique_ptr<VideoSink> sink, ScalerHandle scaler)
        : m_path(std::move(path)),
          m_options(options),
          m_encoding(encoding),
          m_sink(std::move(sink)),
          m_scaler(std::move(scaler)) {}

    Result<void> write(std::span<const std::uint8_t> frame) override {
        const int stride = bytesOf(m_options.pixels) * m_options.width;
        const std::size_t expected = std::size_t(stride) * std::size_t(m_options.height);
        if (frame.size() != expected)
            return Error{ErrorCode::BadUsage, m_path.string() + ": a frame of " +
                                                  std::to_string(frame.size()) + " bytes was given, " +
                                                  std::to_string(expected) + " were needed"};
        // The encoder may hold on to earlier pictures, so each frame has its own.
        auto picture = makePicture(sinkSide(m_encoding, m_options.width),
                                   sinkSide(m_encoding, m_options.height), sinkFormat(m_encoding));
        if (!picture) return picture.error();
        if (m_scaler) {
            const std::uint8_t* planes[4] = {frame.data(), nullptr, nullptr, nullptr};
            const int strides[4] = {stride, 0, 0, 0};
            const int rows = sws_scale(m_scaler.get(), planes, strides, 0, m_options.height, (*picture)->data,
                                       (*picture)->linesize);
            if (rows < 0) return avError(m_path.string(), rows);
            if (!isRgb(sinkFormat(m_encoding))) repeatEdges(**picture, m_options.width, m_options.height);
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
    Encoding m_encoding;
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
                                         .threads = options.threads,
                                         .fidelity = options.fidelity});
    if (!sink) return sink.error();
    const Encoding encoding = encodingOf(options.container, options.fidelity).value();
    ScalerHandle scaler;
    const AVPixelFormat given = options.pixels == FramePixels::Rgb24 ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_BGR0;
    if (const AVPixelFormat taken = sinkFormat(encoding); taken != given) {
        const ImageSpec from{options.width, options.height, given, SWS_CS_ITU709, true};
        const ImageSpec to{options.width, options.height, taken, SWS_CS_ITU709, isRgb(taken)};
        auto made = makeScaler(from, to);
        if (!made) return made.error().in(path.string());
        scaler = std::move(*made);
    }
    return std::unique_ptr<Writer>(
        std::make_unique<SinkWriter>(path, options, encoding, std::move(*sink), std::move(scaler)));
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

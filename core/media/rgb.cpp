#include "core/media/rgb.h"

#include <string>

#include "core/media/av_error.h"
#include "core/media/clip.h"
#include "core/media/clip_options.h"
#include "core/media/scaler.h"

namespace reelgrid::media {

struct RgbConverter::State {
    ScalerHandle scaler;
    int width = 0;
    int height = 0;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    ColorInfo color;
};

RgbConverter::RgbConverter() : m_state(std::make_unique<State>()) {}
RgbConverter::~RgbConverter() = default;
RgbConverter::RgbConverter(RgbConverter&&) noexcept = default;
RgbConverter& RgbConverter::operator=(RgbConverter&&) noexcept = default;

Result<void> RgbConverter::convert(const YuvFrame& frame, std::uint8_t* rgb) {
    State& state = *m_state;
    const AVPixelFormat format = pixelFormatOf(frame.layout, frame.bitDepth);
    if (format == AV_PIX_FMT_NONE)
        return Error{ErrorCode::Unsupported,
                     "pictures of " + std::to_string(frame.bitDepth) + " bits can't be converted to RGB"};
    if (!state.scaler || frame.width != state.width || frame.height != state.height ||
        format != state.format || frame.color != state.color) {
        const ImageSpec from{frame.width, frame.height, format, swsSpaceOf(frame.color.matrix),
                             frame.color.range == ColorRange::Full};
        const ImageSpec to{frame.width, frame.height, AV_PIX_FMT_RGB24, from.space, true};
        auto scaler = makeScaler(from, to);
        if (!scaler) return scaler.error();
        state.scaler = std::move(*scaler);
        state.width = frame.width;
        state.height = frame.height;
        state.format = format;
        state.color = frame.color;
    }
    const std::uint8_t* planes[4] = {frame.y.bytes.data(), frame.u.bytes.data(), frame.v.bytes.data(),
                                     nullptr};
    const int strides[4] = {frame.y.stride, frame.u.stride, frame.v.stride, 0};
    std::uint8_t* out[4] = {rgb, nullptr, nullptr, nullptr};
    const int outStrides[4] = {3 * frame.width, 0, 0, 0};
    const int rows = sws_scale(state.scaler.get(), planes, strides, 0, frame.height, out, outStrides);
    if (rows < 0) return avError("conversion to RGB", rows);
    return {};
}

Result<std::vector<std::uint8_t>> RgbConverter::convert(const YuvFrame& frame) {
    std::vector<std::uint8_t> rgb(std::size_t(3) * std::size_t(frame.width) * std::size_t(frame.height));
    if (auto done = convert(frame, rgb.data()); !done) return done.error();
    return rgb;
}

Result<RgbVideo> readRgb(const std::filesystem::path& path, std::size_t maxBytes) {
    auto opened = openClip(path, {.threads = 2, .cacheBytes = 0});
    if (!opened) return opened.error();
    Clip& clip = **opened;
    const ClipInfo& info = clip.info();
    RgbVideo video{info.width, info.height, info.fps, {}};
    const auto frames = std::size_t(info.frameCount());
    if (frames > maxBytes / video.frameBytes())
        return Error{ErrorCode::OutOfMemory,
                     path.string() + ": " + std::to_string(frames) + " frames of " +
                         std::to_string(info.width) + "x" + std::to_string(info.height) +
                         " take more than the limit of " + std::to_string(maxBytes >> 20) + " MiB"};
    video.pixels.resize(frames * video.frameBytes());
    RgbConverter converter;
    for (int i = 0; i < info.frameCount(); ++i) {
        auto frame = clip.frame(i);
        if (!frame) return frame.error();
        auto done = converter.convert(**frame, video.pixels.data() + std::size_t(i) * video.frameBytes());
        if (!done) return done.error().in(path.string());
    }
    return video;
}

}  // namespace reelgrid::media

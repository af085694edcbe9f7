#include "core/media/rgb.h"

#include <algorithm>
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

namespace {

void interleave(const YuvFrame& frame, std::uint8_t* rgb) {
    for (int row = 0; row < frame.height; ++row) {
        const std::uint8_t* green = frame.y.bytes.data() + std::ptrdiff_t(row) * frame.y.stride;
        const std::uint8_t* blue = frame.u.bytes.data() + std::ptrdiff_t(row) * frame.u.stride;
        const std::uint8_t* red = frame.v.bytes.data() + std::ptrdiff_t(row) * frame.v.stride;
        for (int x = 0; x < frame.width; ++x) {
            *rgb++ = red[x];
            *rgb++ = green[x];
            *rgb++ = blue[x];
        }
    }
}

}  // namespace

Result<void> RgbConverter::convert(const YuvFrame& frame, std::uint8_t* rgb) {
    State& state = *m_state;
    const AVPixelFormat format = pixelFormatOf(frame);
    if (format == AV_PIX_FMT_GBRP) {
        interleave(frame, rgb);
        return {};
    }
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

RgbReader::RgbReader() = default;
RgbReader::~RgbReader() = default;
RgbReader::RgbReader(RgbReader&&) noexcept = default;

Result<RgbReader> RgbReader::open(const std::filesystem::path& path) {
    auto opened = openClip(path, {.threads = 1, .cacheBytes = 0, .stretches = false});
    if (!opened) return opened.error();
    RgbReader reader;
    reader.m_path = path;
    reader.m_clip = std::move(*opened);
    return reader;
}

const ClipInfo& RgbReader::info() const {
    return m_clip->info();
}

Result<int> RgbReader::read(int count, RgbVideo& into) {
    into.width = info().width;
    into.height = info().height;
    into.fps = info().fps;
    count = std::clamp(info().frameCount() - m_next, 0, count);
    std::size_t at = into.pixels.size();
    into.pixels.resize(at + std::size_t(count) * into.frameBytes());
    for (int i = 0; i < count; ++i, at += into.frameBytes()) {
        auto frame = m_clip->frame(m_next);
        if (!frame) return frame.error();
        auto done = m_converter.convert(**frame, into.pixels.data() + at);
        if (!done) return done.error().in(m_path.string());
        ++m_next;
    }
    return count;
}

Result<RgbVideo> RgbReader::readAll(std::size_t maxBytes) {
    RgbVideo video{info().width, info().height, info().fps, {}};
    const auto frames = std::size_t(info().frameCount());
    if (frames > maxBytes / video.frameBytes())
        return Error{ErrorCode::OutOfMemory,
                     m_path.string() + ": " + std::to_string(frames) + " frames of " +
                         std::to_string(info().width) + "x" + std::to_string(info().height) +
                         " take more than the limit of " + std::to_string(maxBytes >> 20) + " MiB"};
    if (auto done = read(info().frameCount(), video); !done) return done.error();
    return video;
}

Result<RgbVideo> readRgb(const std::filesystem::path& path, std::size_t maxBytes) {
    auto reader = RgbReader::open(path);
    if (!reader) return reader.error();
    return reader->readAll(maxBytes);
}

}  // namespace reelgrid::media

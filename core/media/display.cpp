#include "core/media/display.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "core/media/image_limits.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/rational.h>
}

namespace reelgrid::media {
namespace {

using Matrix = std::array<std::int32_t, 9>;

std::optional<Matrix> matrixIn(const std::uint8_t* data, std::size_t size) {
    Matrix matrix{};
    if (data == nullptr || size < sizeof matrix) return std::nullopt;
    std::memcpy(matrix.data(), data, sizeof matrix);
    return matrix;
}

std::optional<Matrix> matrixOf(const AVFrame& frame) {
    const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
    return data == nullptr ? std::nullopt : matrixIn(data->data, std::size_t(data->size));
}

std::optional<Matrix> matrixOf(const AVStream& stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    const AVCodecParameters& parameters = *stream.codecpar;
    const AVPacketSideData* data = av_packet_side_data_get(
        parameters.coded_side_data, parameters.nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data == nullptr ? std::nullopt : matrixIn(data->data, data->size);
#else
    std::size_t size = 0;
    const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return matrixIn(data, size);
#endif
}

}  // namespace

Result<PictureSize> Display::squareSize(int width, int height) const {
    const std::int64_t num = sampleAspect.num;
    const std::int64_t den = sampleAspect.den;
    if (num <= 0 || den <= 0) return PictureSize{width, height};
    const std::int64_t wide = num > den ? (width * num + den / 2) / den : width;
    const std::int64_t high = num < den ? (height * den + num / 2) / num : height;
    if (!isSaneSize(wide, high))
        return Error{ErrorCode::InvalidData, "a picture of " + std::to_string(width) + "x" +
                                                 std::to_string(height) + " with samples of " +
                                                 std::to_string(num) + ":" + std::to_string(den) +
                                                 " would be shown as " + std::to_string(wide) + "x" +
                                                 std::to_string(high) + ", which is too large"};
    return PictureSize{int(wide), int(high)};
}

Display displayOf(AVFormatContext& input, AVStream& stream, AVFrame& frame) {
    Display display;
    // Containers derive the aspect from their own idea of the size: where that is wrong, so is the aspect.
    const bool sizeIsRight = stream.codecpar->width == frame.width && stream.codecpar->height == frame.height;
    display.sampleAspect =
        sizeIsRight ? av_guess_sample_aspect_ratio(&input, &stream, &frame) : frame.sample_aspect_ratio;
    auto matrix = matrixOf(frame);
    if (!matrix) matrix = matrixOf(stream);
    if (!matrix) return display;
    // A sample at (x, y) is shown at (a·x + c·y, b·x + d·y).
    const auto [a, b, u, c, d, v, x, y, w] = *matrix;
    const auto size = [](std::int32_t value) { return std::abs(std::int64_t{value}); };
    display.isTransposed = size(b) + size(c) > size(a) + size(d);
    display.isMirroredAcross = (display.isTransposed ? c : a) < 0;
    display.isMirroredDown = (display.isTransposed ? b : d) < 0;
    // By more than some degrees, or with one side many times longer than before.
    constexpr std::int64_t kDegrees = 8, kMostStretch = 16;
    const auto [least, most] =
        display.isTransposed ? std::minmax({size(b), size(c)}) : std::minmax({size(a), size(d)});
    const std::int64_t other = display.isTransposed ? std::max(size(a), size(d)) : std::max(size(b), size(c));
    display.isOblique = other * kDegrees > most || most > least * kMostStretch;
    return display;
}

}  // namespace reelgrid::media

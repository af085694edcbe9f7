#include "core/metrics/warping_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/metrics/optical_flow.h"
#include "core/metrics/parallel_frames.h"

namespace reelgrid::metrics {
namespace {

/// How many pixels along each side become one, so that the longer side has at most kFlowSide.
int reduction(int width, int height) {
    return (std::max(width, height) + kFlowSide - 1) / kFlowSide;
}

struct RgbPlanes {
    std::array<Plane, 3> channels;
    Plane luma;
};

/// Means of squares of `factor` pixels, 0 to 1; what is left over at the right and the bottom is left out.
RgbPlanes reduced(std::span<const std::uint8_t> rgb, int width, int height, int factor) {
    RgbPlanes planes;
    planes.luma = Plane(width / factor, height / factor);
    for (Plane& channel : planes.channels) channel = planes.luma;
    const float scale = 1.0F / (255.0F * float(factor * factor));
    for (int y = 0; y < planes.luma.height; ++y)
        for (int x = 0; x < planes.luma.width; ++x) {
            std::array<int, 3> sum{};
            for (int j = 0; j < factor; ++j)
                for (int i = 0; i < factor; ++i) {
                    const auto at =
                        3 * (std::size_t(y * factor + j) * std::size_t(width) + std::size_t(x * factor + i));
                    for (std::size_t c = 0; c < 3; ++c) sum[c] += rgb[at + c];
                }
            for (std::size_t c = 0; c < 3; ++c) planes.channels[c].at(x, y) = float(sum[c]) * scale;
            planes.luma.at(x, y) =
                (0.2126F * float(sum[0]) + 0.7152F * float(sum[1]) + 0.0722F * float(sum[2])) * scale;
        }
    return planes;
}

/// Whether the way there and back again ends where it began.
bool isSeenInBoth(const Flow& there, const Flow& back, int x, int y) {
    const float dx = there.dx.at(x, y), dy = there.dy.at(x, y);
    const float toX = float(x) + dx, toY = float(y) + dy;
    if (!there.dx.contains(toX, toY)) return false;
    const float backX = back.dx.sampleWithin(toX, toY), backY = back.dy.sampleWithin(toX, toY);
    const float miss = (dx + backX) * (dx + backX) + (dy + backY) * (dy + backY);
    return miss <= 0.01F * (dx * dx + dy * dy + backX * backX + backY * backY) + 0.5F;
}

double errorOf(const RgbPlanes& now, const RgbPlanes& next) {
    const FlowPicture nowPicture(now.luma), nextPicture(next.luma);
    const Flow there = opticalFlow(nowPicture, nextPicture);
    const Flow back = opticalFlow(nextPicture, nowPicture);
    double sum = 0;
    std::int64_t seen = 0;
    for (int y = 0; y < now.luma.height; ++y)
        for (int x = 0; x < now.luma.width; ++x) {
            if (!isSeenInBoth(there, back, x, y)) continue;
            ++seen;
            for (std::size_t c = 0; c < 3; ++c) {
                const float difference =
                    now.channels[c].at(x, y) -
                    next.channels[c].sampleWithin(float(x) + there.dx.at(x, y), float(y) + there.dy.at(x, y));
                sum += double(difference) * double(difference);
            }
        }
    return seen > 0 ? sum / double(3 * seen) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Series warpingError(const media::RgbVideo& video) {
    const int factor = reduction(video.width, video.height);
    const auto planes = [&](int frame) {
        return reduced(video.frame(frame), video.width, video.height, factor);
    };
    return seriesOf(
        perFrame(video.frameCount() - 1, [&](int i) { return errorOf(planes(i), planes(i + 1)); }));
}

}  // namespace reelgrid::metrics

#include "widgets/video_grid/difference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace reelgrid::widgets {

using session::DifferenceKind;

QRgb heatColor(double share) {
    const double place = std::clamp(share, 0.0, 1.0) * double(kHeatStops.size() - 1);
    const auto below = std::min(std::size_t(place), kHeatStops.size() - 2);
    const double t = place - double(below);
    const auto mixed = [&](std::size_t part) {
        return int(kHeatStops[below][part] * (1 - t) + kHeatStops[below + 1][part] * t + 0.5);
    };
    return qRgb(mixed(0), mixed(1), mixed(2));
}

QRgb differenceColor(QRgb color, QRgb reference, DifferenceKind kind, double gain) {
    const std::array<int, 3> signedBy{qRed(color) - qRed(reference), qGreen(color) - qGreen(reference),
                                      qBlue(color) - qBlue(reference)};
    const auto code = [](double value) { return int(std::clamp(value, 0.0, 255.0) + 0.5); };
    switch (kind) {
        case DifferenceKind::Signed:
            return qRgb(code(128 + gain * signedBy[0]), code(128 + gain * signedBy[1]),
                        code(128 + gain * signedBy[2]));
        case DifferenceKind::Absolute:
            return qRgb(std::abs(signedBy[0]), std::abs(signedBy[1]), std::abs(signedBy[2]));
        case DifferenceKind::Amplified:
            return qRgb(code(gain * std::abs(signedBy[0])), code(gain * std::abs(signedBy[1])),
                        code(gain * std::abs(signedBy[2])));
        case DifferenceKind::HeatMap:
            break;
    }
    const int largest = std::max({std::abs(signedBy[0]), std::abs(signedBy[1]), std::abs(signedBy[2])});
    return heatColor(gain * largest / 255);
}

QImage differenceImage(const QImage& picture, const QImage& reference, DifferenceKind kind, double gain) {
    QImage shown(picture.size(), QImage::Format_RGB32);
    if (shown.isNull() || reference.isNull()) return shown;
    // What each channel's difference from -255 on is shown as; of the heat map, what its size is.
    std::array<QRgb, 256> heat{};
    for (std::size_t i = 0; i < heat.size(); ++i) heat[i] = heatColor(gain * double(i) / 255);
    std::array<std::uint8_t, 511> codes{};
    for (int i = 0; i < int(codes.size()); ++i) {
        const int more = std::max(0, i - 255);
        const int less = std::max(0, 255 - i);
        codes[std::size_t(i)] =
            kind == DifferenceKind::HeatMap
                ? std::uint8_t(std::max(more, less))
                : std::uint8_t(qRed(differenceColor(qRgb(more, 0, 0), qRgb(less, 0, 0), kind, gain)));
    }
    std::vector<int> columns(std::size_t(shown.width()));
    for (int x = 0; x < shown.width(); ++x)
        columns[std::size_t(x)] =
            int((2 * std::int64_t(x) + 1) * reference.width() / (2 * std::int64_t(shown.width())));
    for (int y = 0; y < shown.height(); ++y) {
        const auto* from = reinterpret_cast<const QRgb*>(picture.constScanLine(y));
        const auto* against = reinterpret_cast<const QRgb*>(reference.constScanLine(
            int((2 * std::int64_t(y) + 1) * reference.height() / (2 * std::int64_t(shown.height())))));
        auto* line = reinterpret_cast<QRgb*>(shown.scanLine(y));
        for (int x = 0; x < shown.width(); ++x) {
            const QRgb a = from[x];
            const QRgb b = against[columns[std::size_t(x)]];
            const std::uint8_t red = codes[std::size_t(255 + qRed(a) - qRed(b))];
            const std::uint8_t green = codes[std::size_t(255 + qGreen(a) - qGreen(b))];
            const std::uint8_t blue = codes[std::size_t(255 + qBlue(a) - qBlue(b))];
            line[x] =
                kind == DifferenceKind::HeatMap ? heat[std::max({red, green, blue})] : qRgb(red, green, blue);
        }
    }
    return shown;
}

}  // namespace reelgrid::widgets

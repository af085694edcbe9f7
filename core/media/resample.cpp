#include "core/media/resample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>

namespace reelgrid::media {
namespace {

constexpr int kColors = 3;
/// Weights are whole numbers of 2⁻²² so that sums are exact: 8 bits of colour and 2 for the weights above 1.
constexpr int kFractionBits = 32 - 8 - 2;

double sinc(double x) {
    if (x == 0) return 1;
    const double angle = x * std::numbers::pi;
    return std::sin(angle) / angle;
}

struct Kernel {
    double support;  ///< it is zero beyond
    double (*at)(double x);
};

Kernel kernelOf(Filter filter) {
    switch (filter) {
        case Filter::Bilinear:
            return {1, [](double x) { return std::max(0.0, 1 - std::abs(x)); }};
        case Filter::Bicubic:
            return {2, [](double x) {
                        constexpr double a = -0.5;
                        x = std::abs(x);
                        if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
                        return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0.0;
                    }};
        case Filter::Lanczos:
            break;
    }
    return {3, [](double x) { return -3 <= x && x < 3 ? sinc(x) * sinc(x / 3) : 0.0; }};
}

/// The pixels that one pixel of the result is made of.
struct Taps {
    int first = 0;
    std::vector<std::int32_t> weights;
};

std::vector<Taps> tapsOf(int from, int to, const Kernel& kernel) {
    const double scale = double(from) / to, stretch = std::max(scale, 1.0);
    const double support = kernel.support * stretch;
    std::vector<Taps> all(static_cast<std::size_t>(to));
    std::vector<double> weights;
    for (int i = 0; i < to; ++i) {
        const double center = (i + 0.5) * scale;
        const int first = std::max(int(center - support + 0.5), 0);
        const int end = std::min(int(center + support + 0.5), from);
        weights.clear();
        double sum = 0;
        for (int x = first; x < end; ++x)
            sum += weights.emplace_back(kernel.at((x - center + 0.5) / stretch));
        Taps& taps = all[std::size_t(i)];
        taps.first = first;
        for (const double weight : weights) {
            const double part = (sum == 0 ? weight : weight / sum) * (1 << kFractionBits);
            taps.weights.push_back(std::int32_t(part < 0 ? part - 0.5 : part + 0.5));
        }
    }
    return all;
}

/// A weighted sum of pixels `stride` bytes apart.
void mix(std::uint8_t* out, const std::uint8_t* in, std::ptrdiff_t stride, const Taps& taps) {
    for (int color = 0; color < kColors; ++color) {
        std::int32_t sum = 1 << (kFractionBits - 1);
        const std::uint8_t* pixel = in + taps.first * stride + color;
        for (const std::int32_t weight : taps.weights) {
            sum += *pixel * weight;
            pixel += stride;
        }
        out[color] = std::uint8_t(std::clamp(sum >> kFractionBits, 0, 255));
    }
}

RgbImage blank(PictureSize size) {
    return {
        size.width, size.height,
        std::vector<std::uint8_t>(std::size_t(kColors) * std::size_t(size.width) * std::size_t(size.height))};
}

std::size_t offset(const RgbImage& image, int x, int y) {
    return std::size_t(kColors) * (std::size_t(y) * std::size_t(image.width) + std::size_t(x));
}

RgbImage withWidth(const RgbImage& image, int width, const Kernel& kernel) {
    RgbImage out = blank({width, image.height});
    const std::vector<Taps> taps = tapsOf(image.width, width, kernel);
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < width; ++x)
            mix(&out.pixels[offset(out, x, y)], &image.pixels[offset(image, 0, y)], kColors,
                taps[std::size_t(x)]);
    return out;
}

RgbImage withHeight(const RgbImage& image, int height, const Kernel& kernel) {
    RgbImage out = blank({image.width, height});
    const std::vector<Taps> taps = tapsOf(image.height, height, kernel);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < image.width; ++x)
            mix(&out.pixels[offset(out, x, y)], &image.pixels[offset(image, x, 0)],
                std::ptrdiff_t(kColors) * image.width, taps[std::size_t(y)]);
    return out;
}

}  // namespace

RgbImage resized(const RgbImage& image, PictureSize size, Filter filter) {
    const Kernel kernel = kernelOf(filter);
    const auto wide = [&](const RgbImage& from) {
        return size.width == from.width ? from : withWidth(from, size.width, kernel);
    };
    const auto high = [&](const RgbImage& from) {
        return size.height == from.height ? from : withHeight(from, size.height, kernel);
    };
    // Each pass rounds, so that their order decides codes.
    const int lessWidth = image.width - size.width, lessHeight = image.height - size.height;
    const bool startsWithHeight = lessHeight > 0 && lessHeight > 2 * lessWidth;
    return startsWithHeight ? wide(high(image)) : high(wide(image));
}

RgbImage middleOf(const RgbImage& image, PictureSize size) {
    RgbImage out = blank(size);
    // Rounded down also where they are negative: what is added then lies below and right.
    const auto half = [](int room) { return room >= 0 ? room / 2 : -((1 - room) / 2); };
    const int left = half(image.width - size.width), top = half(image.height - size.height);
    const int firstX = std::max(0, -left), endX = std::min(size.width, image.width - left);
    for (int y = std::max(0, -top); y < std::min(size.height, image.height - top); ++y)
        std::memcpy(&out.pixels[offset(out, firstX, y)], &image.pixels[offset(image, firstX + left, y + top)],
                    std::size_t(kColors) * std::size_t(endX - firstX));
    return out;
}

PictureSize coveringSize(PictureSize picture, PictureSize size) {
    const double scale = std::max(double(size.width) / picture.width, double(size.height) / picture.height);
    // One side is `size`'s whatever the product was rounded to.
    return {std::max(size.width, int(picture.width * scale)),
            std::max(size.height, int(picture.height * scale))};
}

Result<PictureSize> sizeOfArea(PictureSize picture, double area, int multiple) {
    const double aspect = double(picture.height) / picture.width;
    // As numpy rounds, and both are rounded before multiples are taken.
    const auto side = [&](double square) {
        return int(std::nearbyint(std::sqrt(square))) / multiple * multiple;
    };
    const PictureSize size{side(area / aspect), side(area * aspect)};
    if (size.width > 0 && size.height > 0) return size;
    return Error{ErrorCode::BadUsage,
                 "a picture of " + std::to_string(picture.width) + "x" + std::to_string(picture.height) +
                     " would be " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                     ": a shape that leaves each side " + std::to_string(multiple) + " pixels was needed"};
}

}  // namespace reelgrid::media

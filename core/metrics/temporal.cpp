#include "core/metrics/temporal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/metrics/parallel_frames.h"

namespace reelgrid::metrics {
namespace {

/// So many products of two bytes fit in 32 bits; blocks of it keep the inner loops narrow and vectorised.
constexpr std::size_t kBlock = 65'536;
static_assert(kBlock * 255 * 255 <= std::numeric_limits<std::uint32_t>::max());

double correlationOf(double n, double sumA, double sumB, double sumAA, double sumBB, double sumAB) {
    const double varianceA = sumAA - sumA * sumA / n;
    const double varianceB = sumBB - sumB * sumB / n;
    // Rounding leaves a constant list a variance that is only a hair from zero.
    constexpr double kRounding = 1e-12;
    if (varianceA <= kRounding * sumAA || varianceB <= kRounding * sumBB)
        return std::numeric_limits<double>::quiet_NaN();
    return std::clamp((sumAB - sumA * sumB / n) / std::sqrt(varianceA * varianceB), -1.0, 1.0);
}

}  // namespace

double pearson(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    std::uint64_t sumA = 0;
    std::uint64_t sumB = 0;
    std::uint64_t sumAA = 0;
    std::uint64_t sumBB = 0;
    std::uint64_t sumAB = 0;
    const std::size_t count = std::min(a.size(), b.size());
    for (std::size_t start = 0; start < count; start += kBlock) {
        std::uint32_t blockA = 0;
        std::uint32_t blockB = 0;
        std::uint32_t blockAA = 0;
        std::uint32_t blockBB = 0;
        std::uint32_t blockAB = 0;
        const std::size_t end = std::min(count, start + kBlock);
        for (std::size_t i = start; i < end; ++i) {
            const std::uint32_t x = a[i];
            const std::uint32_t y = b[i];
            blockA += x;
            blockB += y;
            blockAA += x * x;
            blockBB += y * y;
            blockAB += x * y;
        }
        sumA += blockA;
        sumB += blockB;
        sumAA += blockAA;
        sumBB += blockBB;
        sumAB += blockAB;
    }
    return correlationOf(double(count), double(sumA), double(sumB), double(sumAA), double(sumBB),
                         double(sumAB));
}

double pearson(std::span<const float> a, std::span<const float> b) {
    const std::size_t count = std::min(a.size(), b.size());
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    double meanA = 0;
    double meanB = 0;
    for (std::size_t i = 0; i < count; ++i) {
        meanA += double(a[i]);
        meanB += double(b[i]);
    }
    meanA /= double(count);
    meanB /= double(count);
    double sumAA = 0;
    double sumBB = 0;
    double sumAB = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = double(a[i]) - meanA;
        const double y = double(b[i]) - meanB;
        sumAA += x * x;
        sumBB += y * y;
        sumAB += x * y;
    }
    if (!(sumAA > 0) || !(sumBB > 0)) return std::numeric_limits<double>::quiet_NaN();
    return std::clamp(sumAB / std::sqrt(sumAA * sumBB), -1.0, 1.0);
}

Series frameCorrelation(const media::RgbVideo& video) {
    return seriesOf(
        perFrame(video.frameCount() - 1, [&](int i) { return pearson(video.frame(i), video.frame(i + 1)); }));
}

Series frameCorrelation(std::span<const float> values, int frames) {
    const std::size_t size = frames > 0 ? values.size() / std::size_t(frames) : 0;
    return seriesOf(perFrame(frames - 1, [&](int i) {
        const std::size_t at = std::size_t(i) * size;
        return pearson(values.subspan(at, size), values.subspan(at + size, size));
    }));
}

double meanAbsoluteDifference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    std::uint64_t sum = 0;
    const std::size_t count = std::min(a.size(), b.size());
    for (std::size_t start = 0; start < count; start += kBlock) {
        std::uint32_t block = 0;
        const std::size_t end = std::min(count, start + kBlock);
        for (std::size_t i = start; i < end; ++i)
            block += std::uint32_t(std::max(a[i], b[i]) - std::min(a[i], b[i]));
        sum += block;
    }
    return double(sum) / double(count);
}

Series frameDifference(const media::RgbVideo& video) {
    return seriesOf(perFrame(video.frameCount() - 1, [&](int i) {
        return meanAbsoluteDifference(video.frame(i), video.frame(i + 1));
    }));
}

Series flickering(const Series& frameDifference) {
    std::vector<double> perPair = frameDifference.perFrame;
    for (double& value : perPair) value = (255.0 - value) / 255.0;
    return seriesOf(std::move(perPair));
}

}  // namespace reelgrid::metrics

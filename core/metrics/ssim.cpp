#include "core/metrics/ssim.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace reelgrid::metrics {
namespace {

constexpr float kC1 = 0.01F * 0.01F;
constexpr float kC2 = 0.03F * 0.03F;
/// Moments are taken about mid-grey: less cancellation in the variances than about black.
constexpr float kCentre = 0.5F;

std::array<float, kSsimWindow> gaussian() {
    constexpr double kSigma = 1.5;
    std::array<double, kSsimWindow> weights{};
    double sum = 0;
    for (int i = 0; i < kSsimWindow; ++i) {
        const double x = i - kSsimWindow / 2;
        weights[std::size_t(i)] = std::exp(-x * x / (2 * kSigma * kSigma));
        sum += weights[std::size_t(i)];
    }
    std::array<float, kSsimWindow> normal{};
    for (std::size_t i = 0; i < weights.size(); ++i) normal[i] = float(weights[i] / sum);
    return normal;
}

/// The five moments under the window, one row of the picture each.
enum Moment { kA, kB, kAA, kBB, kAB, kMoments };
using Rows = std::array<std::vector<float>, kMoments>;

/// One channel of two pictures: values from 0 to 1, `step` of them apart.
template <class Sample>
struct Channel {
    const Sample* a;
    const Sample* b;
    int width, height, step;
    float scale;  ///< to the range from 0 to 1
};

template <class Sample>
void fillRow(Rows& rows, const Channel<Sample>& channel, int y) {
    const std::ptrdiff_t first = std::ptrdiff_t(y) * channel.width * channel.step;
    for (int x = 0; x < channel.width; ++x) {
        const std::ptrdiff_t from = first + std::ptrdiff_t(x) * channel.step;
        const float p = float(channel.a[from]) / channel.scale - kCentre;
        const float q = float(channel.b[from]) / channel.scale - kCentre;
        const auto at = std::size_t(x);
        rows[kA][at] = p;
        rows[kB][at] = q;
        rows[kAA][at] = p * p;
        rows[kBB][at] = q * q;
        rows[kAB][at] = p * q;
    }
}

/// out[x] = Σ weights[i]·in[x+i]: the taps are the outer loop so that the inner one is a plain vector add.
void filterAcross(const std::array<float, kSsimWindow>& weights, const std::vector<float>& in,
                  float* __restrict out, int places) {
    for (int x = 0; x < places; ++x) out[x] = weights[0] * in[std::size_t(x)];
    for (int i = 1; i < kSsimWindow; ++i) {
        const float weight = weights[std::size_t(i)];
        const float* shifted = in.data() + i;
        for (int x = 0; x < places; ++x) out[x] += weight * shifted[x];
    }
}

/// Sums over places; means over all of them in the end.
struct Similarity {
    double whole = 0;     ///< luminance × contrast and structure
    double contrast = 0;  ///< contrast and structure alone
};

void addRow(const Rows& m, int places, Similarity& sum) {
    for (int x = 0; x < places; ++x) {
        const auto at = std::size_t(x);
        const float a = m[kA][at];
        const float b = m[kB][at];
        const float varianceA = m[kAA][at] - a * a;
        const float varianceB = m[kBB][at] - b * b;
        const float covariance = m[kAB][at] - a * b;
        const float meanA = a + kCentre;
        const float meanB = b + kCentre;
        const float contrast = (2 * covariance + kC2) / (varianceA + varianceB + kC2);
        sum.whole += double((2 * meanA * meanB + kC1) / (meanA * meanA + meanB * meanB + kC1) * contrast);
        sum.contrast += double(contrast);
    }
}

template <class Sample>
Similarity similarityOf(const Channel<Sample>& channel) {
    const std::array<float, kSsimWindow> weights = gaussian();
    const int across = channel.width - kSsimWindow + 1;
    const int down = channel.height - kSsimWindow + 1;
    const auto places = std::size_t(across);
    Rows row;
    Rows filtered;
    for (int m = 0; m < kMoments; ++m) {
        row[std::size_t(m)].resize(std::size_t(channel.width));
        filtered[std::size_t(m)].resize(places);
    }
    // The last 11 rows, filtered across, of each moment: a ring, so that memory doesn't grow with height.
    std::array<std::array<std::vector<float>, kMoments>, kSsimWindow> ring;
    for (auto& moments : ring)
        for (auto& line : moments) line.resize(places);

    Similarity sum;
    for (int y = 0; y < channel.height; ++y) {
        fillRow(row, channel, y);
        auto& newest = ring[std::size_t(y % kSsimWindow)];
        for (std::size_t m = 0; m < kMoments; ++m) filterAcross(weights, row[m], newest[m].data(), across);
        if (y + 1 < kSsimWindow) continue;
        const int top = y + 1 - kSsimWindow;
        for (std::size_t m = 0; m < kMoments; ++m) {
            float* __restrict out = filtered[m].data();
            for (int i = 0; i < kSsimWindow; ++i) {
                const float weight = weights[std::size_t(i)];
                const float* line = ring[std::size_t((top + i) % kSsimWindow)][m].data();
                if (i == 0)
                    for (int x = 0; x < across; ++x) out[x] = weight * line[x];
                else
                    for (int x = 0; x < across; ++x) out[x] += weight * line[x];
            }
        }
        addRow(filtered, across, sum);
    }
    const double all = double(across) * double(down);
    return {sum.whole / all, sum.contrast / all};
}

/// Means of 2×2 values of a plane; an odd side has a zero before its first value.
std::vector<float> halved(const std::vector<float>& plane, int width, int height) {
    const int padX = width % 2, padY = height % 2;
    const int across = (width + padX) / 2, down = (height + padY) / 2;
    const auto at = [&](int x, int y) {
        return x < 0 || y < 0 ? 0.0F : plane[std::size_t(y) * std::size_t(width) + std::size_t(x)];
    };
    std::vector<float> half;
    half.reserve(std::size_t(across) * std::size_t(down));
    for (int y = 0; y < down; ++y)
        for (int x = 0; x < across; ++x) {
            const int left = 2 * x - padX, top = 2 * y - padY;
            half.push_back((at(left, top) + at(left + 1, top) + at(left, top + 1) + at(left + 1, top + 1)) /
                           4);
        }
    return half;
}

/// Exponents of the scales, the whole picture first (table I of the 2003 paper's human study).
constexpr std::array kScaleWeights{0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

std::vector<float> planeOf(std::span<const std::uint8_t> picture, int channel) {
    std::vector<float> plane;
    plane.reserve(picture.size() / 3);
    for (std::size_t i = std::size_t(channel); i < picture.size(); i += 3)
        plane.push_back(float(picture[i]) / 255.0F);
    return plane;
}

}  // namespace

double ssim(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, int width, int height) {
    double sum = 0;
    for (int channel = 0; channel < 3; ++channel)
        sum += similarityOf(
                   Channel<std::uint8_t>{a.data() + channel, b.data() + channel, width, height, 3, 255.0F})
                   .whole;
    return sum / 3;
}

double msSsim(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, int width, int height) {
    double sum = 0;
    for (int channel = 0; channel < 3; ++channel) {
        std::vector<float> first = planeOf(a, channel), second = planeOf(b, channel);
        int across = width, down = height;
        double product = 1;
        for (std::size_t scale = 0; scale < kScaleWeights.size(); ++scale) {
            const bool isLast = scale + 1 == kScaleWeights.size();
            const Similarity similarity =
                similarityOf(Channel<float>{first.data(), second.data(), across, down, 1, 1.0F});
            product *= std::pow(std::max(0.0, isLast ? similarity.whole : similarity.contrast),
                                kScaleWeights[scale]);
            if (isLast) break;
            first = halved(first, across, down);
            second = halved(second, across, down);
            across = (across + across % 2) / 2;
            down = (down + down % 2) / 2;
        }
        sum += product;
    }
    return sum / 3;
}

}  // namespace reelgrid::metrics

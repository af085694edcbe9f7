#include "core/metrics/ssim.h"

#include <array>
#include <cmath>
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

void fillRow(Rows& rows, const std::uint8_t* a, const std::uint8_t* b, int width) {
    for (int x = 0; x < width; ++x) {
        const float p = float(a[3 * x]) / 255.0F - kCentre;
        const float q = float(b[3 * x]) / 255.0F - kCentre;
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

double similarityOfRow(const Rows& m, int places) {
    double sum = 0;
    for (int x = 0; x < places; ++x) {
        const auto at = std::size_t(x);
        const float a = m[kA][at];
        const float b = m[kB][at];
        const float varianceA = m[kAA][at] - a * a;
        const float varianceB = m[kBB][at] - b * b;
        const float covariance = m[kAB][at] - a * b;
        const float meanA = a + kCentre;
        const float meanB = b + kCentre;
        sum += double(((2 * meanA * meanB + kC1) * (2 * covariance + kC2)) /
                      ((meanA * meanA + meanB * meanB + kC1) * (varianceA + varianceB + kC2)));
    }
    return sum;
}

}  // namespace

double ssim(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, int width, int height) {
    const std::array<float, kSsimWindow> weights = gaussian();
    const int across = width - kSsimWindow + 1;
    const int down = height - kSsimWindow + 1;
    const auto places = std::size_t(across);
    Rows row;
    Rows filtered;
    for (int m = 0; m < kMoments; ++m) {
        row[std::size_t(m)].resize(std::size_t(width));
        filtered[std::size_t(m)].resize(places);
    }
    // The last 11 rows, filtered across, of each moment: a ring, so that memory doesn't grow with height.
    std::array<std::array<std::vector<float>, kMoments>, kSsimWindow> ring;
    for (auto& moments : ring)
        for (auto& line : moments) line.resize(places);

    double sum = 0;
    for (int channel = 0; channel < 3; ++channel) {
        for (int y = 0; y < height; ++y) {
            const std::size_t at = std::size_t(y) * std::size_t(width) * 3 + std::size_t(channel);
            fillRow(row, a.data() + at, b.data() + at, width);
            auto& newest = ring[std::size_t(y % kSsimWindow)];
            for (std::size_t m = 0; m < kMoments; ++m)
                filterAcross(weights, row[m], newest[m].data(), across);
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
            sum += similarityOfRow(filtered, across);
        }
    }
    return sum / (3.0 * double(across) * double(down));
}

}  // namespace reelgrid::metrics

#include "core/metrics/coherence.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/metrics/clip_metrics.h"
#include "core/metrics/coherence_figures.h"
#include "core/metrics/temporal.h"

namespace reelgrid::metrics {
namespace {

constexpr int kSmallSide = 64;

/// Luma, each value the mean of a square of pixels.
std::vector<float> smallPicture(std::span<const std::uint8_t> rgb, int width, int height) {
    const int square = (std::max(width, height) + kSmallSide - 1) / kSmallSide;
    const int columns = (width + square - 1) / square, rows = (height + square - 1) / square;
    std::vector<float> sums(std::size_t(columns) * std::size_t(rows), 0), counts(sums.size(), 0);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const std::size_t pixel = 3 * (std::size_t(y) * std::size_t(width) + std::size_t(x));
            const std::size_t at = std::size_t(y / square) * std::size_t(columns) + std::size_t(x / square);
            sums[at] += 0.2126F * rgb[pixel] + 0.7152F * rgb[pixel + 1] + 0.0722F * rgb[pixel + 2];
            counts[at] += 1;
        }
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= counts[i];
    return sums;
}

std::vector<float> changeOf(const std::vector<float>& from, const std::vector<float>& to) {
    std::vector<float> change(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) change[i] = to[i] - from[i];
    return change;
}

double squaredDifference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const int difference = int(a[i]) - int(b[i]);
        sum += static_cast<std::uint64_t>(difference * difference);
    }
    constexpr double kCodes = 255.0 * 255.0;
    return double(sum) / (double(a.size()) * kCodes);
}

std::string figure(double value) {
    return std::isfinite(value) ? fixed(value, 2) : "none";
}

}  // namespace

std::optional<double> explainedByFlow(const ClipMetrics& metrics) {
    if (!metrics.warpingError || !metrics.change || !(metrics.change->squared > 0)) return std::nullopt;
    const double left = metrics.warpingError->mean;
    if (!std::isfinite(left)) return 0.0;  // no pixel is seen in both
    return 1 - left / metrics.change->squared;
}

void ChangeFollower::add(std::span<const std::uint8_t> rgb, int width, int height) {
    if (m_before.size() == rgb.size()) m_squared += squaredDifference(m_before, rgb);
    m_before.assign(rgb.begin(), rgb.end());
    m_small.push_back(smallPicture(rgb, width, height));
}

std::optional<ChangeMeasures> ChangeFollower::measures() const {
    constexpr std::size_t kLeastFrames = 3;
    if (m_small.size() < kLeastFrames) return std::nullopt;
    const std::size_t middle = (m_small.size() - 1) / 2;
    const std::vector<float> first = changeOf(m_small.front(), m_small[middle]),
                             second = changeOf(m_small[middle], m_small[2 * middle]);
    return ChangeMeasures{pearson(std::span<const float>(first), std::span<const float>(second)),
                          m_squared / double(m_small.size() - 1)};
}

const char* nameOf(Coherence verdict) {
    switch (verdict) {
        case Coherence::Coherent:
            return "coherent";
        case Coherence::Incoherent:
            return "incoherent";
        case Coherence::CrossFaded:
            return "cross-faded";
        case Coherence::Frozen:
            return "frozen";
        case Coherence::Flat:
            return "flat";
    }
    return "";
}

std::optional<Coherence> coherenceOf(const ClipMetrics& metrics) {
    if (!metrics.change || !metrics.gates || !metrics.frameCorrelation) return std::nullopt;
    if (metrics.gates->flat) return Coherence::Flat;
    if (metrics.gates->frozen) return Coherence::Frozen;
    if (!(metrics.frameCorrelation->mean > kLeastOfRun)) return Coherence::Incoherent;
    const bool repeats = metrics.change->repeated > kMostRepeated;
    if (repeats && explainedByFlow(metrics).value_or(0) < kLeastExplained) return Coherence::CrossFaded;
    return Coherence::Coherent;
}

std::string coherenceText(const ClipMetrics& metrics) {
    const auto verdict = coherenceOf(metrics);
    if (!verdict) return {};
    const double correlation = metrics.frameCorrelation->mean;
    std::string text =
        std::string(nameOf(*verdict)) + ": frame correlation " + figure(correlation) +
        (correlation > kLeastOfRun ? " (a run's " : " (not a run's ") + figure(kLeastOfRun) +
        (correlation > kLeastOfModule ? ", a temporal module's " : ", not a temporal module's ") +
        figure(kLeastOfModule) + ")";
    if (metrics.latentCorrelation) text += ", of latents " + figure(*metrics.latentCorrelation);
    if (metrics.independentCorrelation)
        text += ", of frames made apart " + figure(*metrics.independentCorrelation);
    text += "; motion: changes repeat by " + figure(metrics.change->repeated);
    if (const auto explained = explainedByFlow(metrics))
        text += ", flow explains " + figure(*explained) + " of them";
    if (*verdict == Coherence::Frozen) text += "; nothing moves";
    if (*verdict == Coherence::CrossFaded) text += "; one picture turns into another, nothing moves";
    return text;
}

}  // namespace reelgrid::metrics

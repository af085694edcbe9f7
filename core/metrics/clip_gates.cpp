#include "core/metrics/clip_gates.h"

#include <algorithm>

namespace reelgrid::metrics {

double luminanceVariance(std::span<const std::uint8_t> rgb) {
    const std::size_t pixels = rgb.size() / 3;
    double sum = 0;
    double sumOfSquares = 0;
    for (std::size_t i = 0; i < pixels; ++i) {
        // Tenths of thousandths, so that the inner loop stays in integers.
        const int luma = 2126 * rgb[3 * i] + 7152 * rgb[3 * i + 1] + 722 * rgb[3 * i + 2];
        const double value = luma / 10'000.0;
        sum += value;
        sumOfSquares += value * value;
    }
    const double mean = sum / double(pixels);
    return std::max(0.0, sumOfSquares / double(pixels) - mean * mean);
}

ClipGates gatesOf(const Series& luminanceVariance, const Series& frameDifference) {
    ClipGates gates;
    gates.luminanceVariance = luminanceVariance.mean;
    gates.motion = frameDifference.mean;
    gates.frozenPairs = int(
        std::ranges::count_if(frameDifference.perFrame, [](double motion) { return motion < kLeastMotion; }));
    gates.flat = gates.luminanceVariance < kLeastVariance;
    gates.frozen = gates.motion < kLeastMotion;
    return gates;
}

}  // namespace reelgrid::metrics

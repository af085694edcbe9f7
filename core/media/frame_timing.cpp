#include "core/media/frame_timing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>

namespace reelgrid::media {
namespace {

constexpr double kMaxRate = 1000;
/// Seconds that a unit of GIF's clock takes; some are coarser.
constexpr double kCoarse = 0.01;

bool isUsable(Rational rate) {
    return rate.num > 0 && rate.den > 0 && rate.value() <= kMaxRate && rate.value() >= 0.01;
}

/// Units that stamps may be off their rate, since containers round to whole ones. A clock that ticks once a
/// frame (AVI, Ogg) has nothing to round, and would be within one of any rate.
double unitsOff(Rational timeBase, std::span<const Rational> declaredRates) {
    const auto ticksOnce = [&](Rational rate) { return rate.value() * timeBase.value() > 0.9; };
    return std::ranges::any_of(declaredRates, ticksOnce) ? 0 : 1;
}

/// Whether frame i's stamp is within so many units of i/rate, for all i.
bool fits(std::span<const std::int64_t> stamps, Rational timeBase, Rational rate, double units) {
    const double unitsPerFrame =
        double(rate.den) * double(timeBase.den) / (double(rate.num) * double(timeBase.num));
    for (std::size_t i = 0; i < stamps.size(); ++i) {
        const double expected = double(i) * unitsPerFrame;
        if (std::abs(double(stamps[i] - stamps[0]) - expected) > units + 1e-6) return false;
    }
    return true;
}

Rational reduced(Rational rate) {
    const std::int64_t divisor = std::gcd(rate.num, rate.den);
    return divisor > 1 ? Rational{rate.num / divisor, rate.den / divisor} : rate;
}

/// Rates that people use near an estimate: whole, half and NTSC ones.
std::vector<Rational> usualRatesNear(double rate) {
    const auto whole = std::int64_t(std::llround(rate));
    const auto doubled = std::int64_t(std::llround(rate * 2));
    return {{whole, 1}, {whole * 1000, 1001}, {doubled, 2}};
}

bool isUsual(Rational rate) {
    if (!isUsable(rate)) return false;
    const Rational own = reduced(rate);
    return std::ranges::any_of(usualRatesNear(rate.value()),
                               [&](Rational usual) { return reduced(usual) == own; });
}

/// On a clock of hundredths of a second or coarser (GIF): the rate of frames that are all equally long. Two
/// of them may have been rounded alike.
std::optional<Rational> rateOfEqualSteps(std::span<const std::int64_t> stamps, Rational timeBase) {
    if (timeBase.value() < kCoarse || stamps.size() < 3) return std::nullopt;
    const std::int64_t step = stamps[1] - stamps[0];
    for (std::size_t i = 2; i < stamps.size(); ++i)
        if (stamps[i] - stamps[i - 1] != step) return std::nullopt;
    return Rational{timeBase.den, timeBase.num * step};
}

/// `units` is how much rounding there may be. Files alone whose clock is coarse say of the last frame, too,
/// how long it stays: others have what their writer made up.
std::optional<UnequalFrames> unequalIn(std::span<const std::int64_t> stamps, Rational timeBase,
                                       std::int64_t lastDuration, double units) {
    constexpr double kUnseen = 0.002;  // seconds
    if (stamps.size() < 2) return std::nullopt;
    std::int64_t shortest = stamps[1] - stamps[0], longest = shortest;
    const auto include = [&](std::int64_t step) {
        shortest = std::min(shortest, step);
        longest = std::max(longest, step);
    };
    for (std::size_t i = 2; i < stamps.size(); ++i) include(stamps[i] - stamps[i - 1]);
    // A tick is what a file has whose clock ticks once a frame.
    if (lastDuration > (units > 0 ? 0 : 1) && timeBase.value() >= kCoarse) include(lastDuration);
    const double difference = double(longest - shortest);
    if (difference <= units || difference * timeBase.value() <= kUnseen + 1e-9) return std::nullopt;
    return UnequalFrames{double(shortest) * timeBase.value(), double(longest) * timeBase.value()};
}

/// Seconds that the last frame stays, where its packet doesn't say: as long as the median frame.
double medianStep(const std::vector<double>& seconds) {
    std::vector<double> steps;
    for (std::size_t i = 1; i < seconds.size(); ++i) steps.push_back(seconds[i] - seconds[i - 1]);
    if (steps.empty()) return 0;
    const auto middle = steps.begin() + std::ptrdiff_t(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle;
}

}  // namespace

FrameTiming frameTimingOf(std::span<const std::int64_t> stamps, Rational timeBase, std::int64_t lastDuration,
                          std::span<const Rational> declaredRates) {
    FrameTiming timing;
    const std::size_t count = stamps.size();
    if (count == 0) return timing;

    std::vector<Rational> candidates;
    if (count > 1 && stamps.back() > stamps.front()) {
        const double span = double(stamps.back() - stamps.front()) * timeBase.value();
        const double estimate = double(count - 1) / span;
        if (const auto equal = rateOfEqualSteps(stamps, timeBase)) candidates.push_back(*equal);
        // A coarse clock fits many rates: prefer a usual one that is declared, then any usual one, to a
        // declared average such as 1600/101.
        std::ranges::copy_if(declaredRates, std::back_inserter(candidates), isUsual);
        const auto usual = usualRatesNear(estimate);
        candidates.insert(candidates.end(), usual.begin(), usual.end());
        candidates.insert(candidates.end(), declaredRates.begin(), declaredRates.end());
    } else {
        candidates.insert(candidates.end(), declaredRates.begin(), declaredRates.end());
        if (lastDuration > 0) candidates.push_back({timeBase.den, timeBase.num * lastDuration});
    }
    const double units = unitsOff(timeBase, declaredRates);
    timing.unequal = unequalIn(stamps, timeBase, lastDuration, units);
    for (const Rational rate : candidates) {
        if (!isUsable(rate) || !fits(stamps, timeBase, rate, units)) continue;
        timing.fps = reduced(rate);
        if (timing.unequal) timing.unequal->isEvened = true;
        timing.seconds.resize(count);
        const auto at = [&](std::size_t i) {
            return double(std::int64_t(i) * timing.fps.den) / double(timing.fps.num);
        };
        for (std::size_t i = 0; i < count; ++i) timing.seconds[i] = at(i);
        timing.durationSeconds = at(count);
        return timing;
    }

    timing.seconds.reserve(count);
    for (const std::int64_t stamp : stamps)
        timing.seconds.push_back(double(stamp - stamps[0]) * timeBase.value());
    double lastStep = lastDuration > 0 ? double(lastDuration) * timeBase.value() : medianStep(timing.seconds);
    if (lastStep <= 0) lastStep = 1.0 / 25;  // a single frame with no duration: any will do
    timing.durationSeconds = timing.seconds.back() + lastStep;
    const auto micros = std::int64_t(std::llround(timing.durationSeconds * 1e6));
    timing.fps = reduced({std::int64_t(count) * 1'000'000, std::max<std::int64_t>(micros, 1)});
    return timing;
}

}  // namespace reelgrid::media

#include "core/suite/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace reelgrid::suite {
namespace {

constexpr int kSamples = 10000;
constexpr double kTail = 0.025;

double meanOf(const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / double(numbers.size());
}

}  // namespace

std::optional<Estimate> estimateOf(const ByPrompt& numbers) {
    std::vector<double> means;
    Estimate estimate;
    for (const auto& [prompt, values] : numbers) {
        if (values.empty()) continue;
        means.push_back(meanOf(values));
        estimate.clips += values.size();
    }
    if (means.empty()) return std::nullopt;
    estimate.mean = meanOf(means);
    estimate.prompts = means.size();
    if (means.size() == 1) return estimate;
    // The standard's generator gives the same numbers everywhere; its distributions don't.
    std::mt19937_64 random(42);
    std::vector<double> samples(kSamples);
    for (double& sample : samples) {
        double sum = 0;
        for (std::size_t i = 0; i < means.size(); ++i) sum += means[random() % means.size()];
        sample = sum / double(means.size());
    }
    std::ranges::sort(samples);
    estimate.low = samples[std::size_t(std::floor(kTail * kSamples))];
    estimate.high = samples[std::size_t(std::ceil((1 - kTail) * kSamples)) - 1];
    return estimate;
}

}  // namespace reelgrid::suite

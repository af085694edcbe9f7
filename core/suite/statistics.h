#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reelgrid::suite {

/// Numbers of several clips, by the prompt that they show.
using ByPrompt = std::map<std::string, std::vector<double>>;

/// The mean of the prompts' means, and how well a sample of prompts tells it.
struct Estimate {
    double mean = 0;
    /// Of 95 %, by the bootstrap over prompts (10,000 samples of as many prompts, drawn with replacement; the
    /// same draws every time); absent for a single prompt.
    std::optional<double> low, high;
    std::size_t prompts = 0, clips = 0;
};

/// Nothing of no numbers.
std::optional<Estimate> estimateOf(const ByPrompt& numbers);

}  // namespace reelgrid::suite

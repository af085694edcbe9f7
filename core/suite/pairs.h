#pragma once

#include <string>

#include "core/suite/suite_result.h"

namespace reelgrid::suite {

/// Pairs of numbers by prompt: their differences, and how often the first is better.
struct Pairs {
    ByPrompt differences;
    std::size_t wins = 0, count = 0;

    void add(const std::string& prompt, double own, double other, Better better) {
        differences[prompt].push_back(own - other);
        const double gain = better == Better::Higher ? own - other : other - own;
        wins += gain > 0;
        ++count;
    }
    void into(MeasureSummary& summary) const {
        if (count == 0) return;
        summary.difference = estimateOf(differences);
        summary.winRate = double(wins) / double(count);
    }
};

}  // namespace reelgrid::suite

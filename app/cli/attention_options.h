#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/benchmark/attention_benchmark.h"

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// What `bench attention` is asked to measure, in the words of its command line.
struct AttentionOptions {
    std::vector<std::string> kernels;
    std::vector<std::string> shapes;
    std::vector<std::string> dtypes;
    std::string device = "cpu";
    std::string distribution = "normal";
    std::string seed = "42";
    std::string tensorLayout;
    std::string inputDir;
    std::string grid;
    std::vector<std::string> backendOptions;
    double slaTopk = kernels::SparseLinear{}.topkRatio;
    std::optional<std::int64_t> maxInputs, sampleRate;
    bool causal = false;
    bool unsmoothedKeys = false;
    bool processorTime = false;
    std::optional<int> repetitions;

    void addTo(CLI::App& command);

    /// Starts the GPU where one is asked for. Every case is checked before any is measured.
    [[nodiscard]] Result<std::vector<benchmark::AttentionCase>> cases() const;
};

}  // namespace reelgrid::cli

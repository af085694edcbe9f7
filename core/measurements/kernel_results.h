#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::measurements {

/// One kernel on one input, as `bench attention` measured it.
struct KernelRow {
    std::string kernel, used, why, dtype;
    std::vector<std::int64_t> shape;  ///< B, H, N, D
    int keys = 0;
    bool causal = false;
    std::string preset, file;
    std::optional<int> step, layer;
    int repetitions = 0;
    double msP50 = 0;
    std::optional<double> msP05, msP95, msKernelP50;
    std::optional<double> tflops, gbytesPerSecond, flopPerByte, timesSdpa, roofGflops, peakShare;
    bool flopAreDenseEquivalent = false;  ///< it leaves pairs out that are counted
    double cosine = 0, l1 = 0, rmse = 0;
    std::optional<double> maxError;

    /// Which input: "1×3×1296×128 bf16", "step 3, layer 7 · 1×3×1296×128 bf16".
    [[nodiscard]] std::string input() const;
};

struct KernelResults {
    std::string device;   ///< "cpu", "cuda:0"
    std::string machine;  ///< of the processor or the GPU; may be empty
    std::string inputs;   ///< "normal", "captured", …
    std::map<std::string, double> peakGflops;
    std::optional<double> peakGbytesPerSecond;
    std::vector<KernelRow> rows;

    /// Each once, as the rows have them.
    [[nodiscard]] std::vector<std::string> inputNames() const;
};

Result<KernelResults> kernelResultsFrom(const nlohmann::json& document);

}  // namespace reelgrid::measurements

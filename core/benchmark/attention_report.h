#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/benchmark/attention_benchmark.h"

namespace reelgrid::benchmark {

/// Operations a second that the machine reaches in nothing but multiply-adds; 0: it has no such instruction.
struct Peaks {
    double fp32 = 0;
    double bf16 = 0;
    double int8 = 0;

    /// What a kernel on inputs of `type` is held against: fp32's where there is no bf16 product, and for
    /// fp16.
    [[nodiscard]] double of(kernels::DataType type) const;
};

/// Of as many threads as attention gets; of one when processor time is measured.
Peaks measurePeaks(Clock clock);
/// The higher of each.
Peaks highest(const Peaks& a, const Peaks& b);

struct MeasuredCase {
    AttentionCase wanted;
    std::vector<AttentionRow> rows;  ///< the first is sdpa
};

struct AttentionReport {
    std::string cpuName;
    std::string instructionSet;  ///< that our kernels ran on
    int threads = 0;
    Clock clock = Clock::Wall;
    Peaks peaks;
    std::vector<MeasuredCase> cases;
};

/// Operations a second.
double rateOf(const MeasuredCase& measured, const AttentionRow& row);
/// Bytes a second.
double bandwidthOf(const MeasuredCase& measured, const AttentionRow& row);
/// Operations a byte; the same for every kernel, as it is a property of the call.
double intensityOf(const MeasuredCase& measured);
/// How many times as fast as sdpa.
double timesSdpa(const MeasuredCase& measured, const AttentionRow& row);
/// Rate over peak; nothing for a sparse kernel, or when the peak is unknown.
std::optional<double> shareOfPeak(const AttentionReport& report, const MeasuredCase& measured,
                                  const AttentionRow& row);

/// {"device", "rows": [{"kernel", "used", "dtype", "shape", "ms_p50", "ms_p95", "ms_kernel_p50", "tflops",
/// "cosine", "l1", "rmse", …}], …}. A row whose kernel couldn't run has "why". What was not measured is
/// absent; "ms_kernel_p50", which readers expect, is null then.
nlohmann::json asJson(const AttentionReport& report);

}  // namespace reelgrid::benchmark

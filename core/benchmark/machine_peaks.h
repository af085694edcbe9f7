#pragma once

#include <array>
#include <utility>

#include "core/benchmark/stopwatch.h"
#include "core/execution/execution.h"
#include "kernels/attention/problem.h"

namespace reelgrid::benchmark {

/// What a device reaches in nothing but multiply-adds, in operations a second, and in nothing but reading and
/// writing, in bytes a second; 0: it has no such instruction, or it was not measured.
struct Peaks {
    double fp32 = 0;
    double bf16 = 0;
    double fp16 = 0;
    double int8 = 0;
    double e4m3 = 0;
    double bytesPerSecond = 0;  ///< of the triad a = b + s·c: two reads and a write

    /// What a kernel on inputs of `type` is held against: fp32's where there is no product of the type.
    [[nodiscard]] double of(kernels::DataType type) const;
};

/// The rates by name, for tables and charts.
inline constexpr std::array kPeakTypes{
    std::pair{"fp32", &Peaks::fp32}, std::pair{"bf16", &Peaks::bf16}, std::pair{"fp16", &Peaks::fp16},
    std::pair{"int8", &Peaks::int8}, std::pair{"e4m3", &Peaks::e4m3},
};

/// CPU: multiply-adds in registers, of as many threads as attention gets (of one when processor time is
/// measured; memory isn't then). GPU: libtorch's products of 8192³ on random data.
Peaks measurePeaks(const execution::Execution& execution, Clock clock);
/// The higher of each.
Peaks highest(const Peaks& a, const Peaks& b);

}  // namespace reelgrid::benchmark

#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/benchmark/attention_benchmark.h"
#include "core/benchmark/machine_peaks.h"

namespace reelgrid::benchmark {

struct MeasuredCase {
    AttentionCase wanted;
    std::vector<AttentionRow> rows;  ///< the first is sdpa
};

struct AttentionReport {
    std::string device = "cpu";  ///< or "cuda:0"
    std::string cpuName;
    std::string instructionSet;  ///< that our kernels ran on
    int threads = 0;
    std::string gpuName;                          ///< empty for the CPU
    std::map<std::string, std::string> versions;  ///< of a GPU: "cuda", "cudnn", "driver"
    Clock clock = Clock::Wall;
    Peaks peaks;
    std::vector<MeasuredCase> cases;

    [[nodiscard]] bool onGpu() const { return !gpuName.empty(); }
};

/// How a case is called in a table: its shape, with the preset's name or the captured call's number.
std::string labelOf(const AttentionCase& wanted);

/// Operations a second.
double rateOf(const MeasuredCase& measured, const AttentionRow& row);
/// The same over kernelP50; nothing where that is unknown.
std::optional<double> kernelRateOf(const MeasuredCase& measured, const AttentionRow& row);
/// Bytes that the kernel which ran must move (elementBytesOf()).
double bytesOf(const MeasuredCase& measured, const AttentionRow& row);
/// Bytes a second.
double bandwidthOf(const MeasuredCase& measured, const AttentionRow& row);
/// Operations a byte.
double intensityOf(const MeasuredCase& measured, const AttentionRow& row);
/// How many times as fast as sdpa.
double timesSdpa(const MeasuredCase& measured, const AttentionRow& row);
/// Rate over peak; nothing for a sparse kernel, or when the peak is unknown.
std::optional<double> shareOfPeak(const AttentionReport& report, const MeasuredCase& measured,
                                  const AttentionRow& row);

enum class BoundBy { Compute, Memory };
const char* nameOf(BoundBy bound);

/// The roofline over a row: what the machine allows at its arithmetic intensity.
struct Roof {
    double rate = 0;  ///< the lower of the peak of the call's type and intensity times bandwidth
    BoundBy bound = BoundBy::Compute;
};
/// Nothing where a peak is unknown.
std::optional<Roof> roofOf(const AttentionReport& report, const MeasuredCase& measured,
                           const AttentionRow& row);

}  // namespace reelgrid::benchmark

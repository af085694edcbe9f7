#include "app/cli/attention_table.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/text_table.h"

namespace reelgrid::cli {
namespace {

/// "1.23e-04".
std::string scientific(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2e", value);
    return text.data();
}

using benchmark::AttentionReport;
using benchmark::AttentionRow;
using benchmark::MeasuredCase;
using Cells = std::vector<std::string>;

constexpr std::array kMetrics{
    std::pair{AttentionMetric::Time, "time"},
    std::pair{AttentionMetric::Throughput, "throughput"},
    std::pair{AttentionMetric::Bandwidth, "bandwidth"},
    std::pair{AttentionMetric::ArithmeticIntensity, "arithmetic_intensity"},
};

const Cells kTextTitles{"shape", "dtype", "kernel"};

/// A GPU's rates are a thousand times a CPU's.
struct RateUnit {
    const char* name;
    double value;
};
RateUnit rateUnitOf(const AttentionReport& report) {
    return report.onGpu() ? RateUnit{"TFLOP/s", 1e12} : RateUnit{"GFLOP/s", 1e9};
}

void append(Cells& cells, Cells more) {
    cells.insert(cells.end(), more.begin(), more.end());
}

std::string percent(const std::optional<double>& share) {
    return share ? fixed(100 * *share, 1) + " %" : "-";
}

int decimalsOf(AttentionMetric metric) {
    return metric == AttentionMetric::Throughput ? 4 : metric == AttentionMetric::ArithmeticIntensity ? 1 : 3;
}

/// What doesn't depend on how long a kernel takes has no second figure.
bool dependsOnTime(AttentionMetric metric) {
    return metric != AttentionMetric::ArithmeticIntensity;
}

Cells metricTitles(AttentionMetric metric, KernelTimes kernelTimes) {
    Cells cells{titleOf(metric)};
    if (kernelTimes == KernelTimes::Shown && dependsOnTime(metric)) cells.emplace_back("kernel alone");
    return cells;
}

Cells metricFigures(AttentionMetric metric, KernelTimes kernelTimes, const MeasuredCase& measured,
                    const AttentionRow& row) {
    const auto text = [&](double seconds) {
        return fixed(valueOf(metric, measured, row, seconds), decimalsOf(metric));
    };
    Cells cells{text(row.p50)};
    if (kernelTimes == KernelTimes::Shown && dependsOnTime(metric))
        cells.push_back(row.kernelP50 ? text(*row.kernelP50) : "-");
    return cells;
}

Cells allTitles(const AttentionReport& report, KernelTimes kernelTimes) {
    Cells cells{"ms", "p95", "cv"};
    if (kernelTimes == KernelTimes::Shown) cells.emplace_back("kernel ms");
    append(cells, {rateUnitOf(report).name, "of peak", "× sdpa", "cosine", "L1", "RMSE", "MAE", "max error"});
    return cells;
}

Cells allFigures(const AttentionReport& report, KernelTimes kernelTimes, const MeasuredCase& measured,
                 const AttentionRow& row) {
    Cells cells{fixed(row.p50 * 1e3, 3), fixed(row.p95 * 1e3, 3), percent(row.variation)};
    if (kernelTimes == KernelTimes::Shown)
        cells.push_back(row.kernelP50 ? fixed(*row.kernelP50 * 1e3, 3) : "-");
    append(cells, {fixed(rateOf(measured, row) / rateUnitOf(report).value, 1),
                   percent(shareOfPeak(report, measured, row)), fixed(timesSdpa(measured, row), 2),
                   fixed(row.accuracy.cosine, 6), scientific(row.accuracy.l1), scientific(row.accuracy.rmse),
                   scientific(row.accuracy.mae), scientific(row.accuracy.maxError)});
    return cells;
}

std::string peaksOf(const AttentionReport& report) {
    const RateUnit unit = rateUnitOf(report);
    std::string text;
    for (const auto& [name, rate] : benchmark::kPeakTypes)
        if (report.peaks.*rate > 0)
            text += (text.empty() ? std::string("; peak ") + unit.name + ": " : std::string(", ")) + name +
                    " " + fixed(report.peaks.*rate / unit.value, 0);
    if (report.peaks.bytesPerSecond > 0)
        text += "; memory " + fixed(report.peaks.bytesPerSecond / 1e9, 1) + " GB/s";
    return text;
}

std::string machineOf(const AttentionReport& report) {
    std::string text = report.device + ": ";
    if (report.onGpu()) {
        text += report.gpuName;
        for (const auto& [name, version] : report.versions) text += ", " + name + " " + version;
        return text + peaksOf(report) + "\n";
    }
    text += report.cpuName + ", " + report.instructionSet + ", " + std::to_string(report.threads) +
            (report.threads == 1 ? " thread" : " threads") + peaksOf(report);
    if (report.clock == benchmark::Clock::Processor) text += "; processor time of all threads, peak of one";
    return text + "\n";
}

std::string inputsOf(const AttentionReport& report) {
    const benchmark::AttentionCase& first = report.cases.front().wanted;
    const std::string origin = first.captured
                                   ? "captured inputs of " + first.captured->file.parent_path().string()
                                   : std::string(nameOf(first.madeUp.distribution)) + " inputs, seed " +
                                         std::to_string(first.madeUp.seed);
    return origin + "; errors against float64 on up to " + std::to_string(benchmark::kReferenceRows) +
           " query rows of every head\n";
}

/// Why a row isn't what its name says, and what its figures leave open.
std::string remarkOf(const AttentionReport& report, const AttentionRow& row) {
    std::string text;
    if (!row.why.empty()) text += "  " + row.used + " ran: " + row.why;
    if (row.kept) text += "  (" + percent(row.kept) + " of the blocks kept)";
    if (!row.dense) text += "  (operations of dense attention)";
    if (row.keysSmoothed == false) text += "  (keys not smoothed)";
    if (report.onGpu() && !row.choice.empty()) text += "  (" + row.choice + ")";
    return text;
}

template <class Figures>
std::string tableOf(const AttentionReport& report, const Cells& titles, Figures figures) {
    Cells heads = kTextTitles;
    append(heads, titles);
    std::vector<TableLine> lines{{heads, ""}};
    for (const MeasuredCase& measured : report.cases)
        for (const AttentionRow& row : measured.rows) {
            Cells cells{labelOf(measured.wanted), kernels::nameOf(measured.wanted.type), row.kernel};
            append(cells, figures(measured, row));
            lines.push_back({cells, remarkOf(report, row)});
        }
    return alignedTable(lines, kTextTitles.size());
}

}  // namespace

Result<std::optional<AttentionMetric>> attentionMetricFrom(const std::string& name) {
    if (name == "all") return std::optional<AttentionMetric>();
    std::string known;
    for (const auto& [metric, text] : kMetrics) {
        if (name == text) return std::optional(metric);
        known += std::string(text) + ", ";
    }
    return Error{ErrorCode::BadUsage, "--metric " + name + ": one of " + known + "all was needed"};
}

const char* nameOf(AttentionMetric wanted) {
    for (const auto& [metric, text] : kMetrics)
        if (metric == wanted) return text;
    return "";
}

std::string titleOf(AttentionMetric metric) {
    switch (metric) {
        case AttentionMetric::Time:
            return "time (ms)";
        case AttentionMetric::Throughput:
            return "throughput (TFLOPS)";
        case AttentionMetric::Bandwidth:
            return "bandwidth (GB/s)";
        case AttentionMetric::ArithmeticIntensity:
            break;
    }
    return "arithmetic intensity (FLOP/byte)";
}

double valueOf(AttentionMetric metric, const MeasuredCase& measured, const AttentionRow& row,
               double seconds) {
    switch (metric) {
        case AttentionMetric::Time:
            return seconds * 1e3;
        case AttentionMetric::Throughput:
            return operationsOf(measured.wanted.shape, measured.wanted.mask) / seconds / 1e12;
        case AttentionMetric::Bandwidth:
            return bytesOf(measured, row) / seconds / 1e9;
        case AttentionMetric::ArithmeticIntensity:
            break;
    }
    return intensityOf(measured, row);
}

std::string attentionTable(const AttentionReport& report, std::optional<AttentionMetric> metric,
                           KernelTimes kernelTimes) {
    const std::string head = machineOf(report) + inputsOf(report);
    if (metric)
        return head + tableOf(report, metricTitles(*metric, kernelTimes),
                              [&](const auto& measured, const auto& row) {
                                  return metricFigures(*metric, kernelTimes, measured, row);
                              });
    return head + tableOf(report, allTitles(report, kernelTimes), [&](const auto& measured, const auto& row) {
               return allFigures(report, kernelTimes, measured, row);
           });
}

std::string rooflineTable(const AttentionReport& report) {
    const RateUnit unit = rateUnitOf(report);
    return "roofline: the lower of the dtype's peak and FLOP/byte times memory bandwidth\n" +
           tableOf(report, {"FLOP/byte", unit.name, "roof", "of roof", "bound by"},
                   [&](const MeasuredCase& measured, const AttentionRow& row) {
                       const auto roof = roofOf(report, measured, row);
                       const double rate = rateOf(measured, row);
                       return Cells{fixed(intensityOf(measured, row), 1), fixed(rate / unit.value, 1),
                                    roof ? fixed(roof->rate / unit.value, 1) : "-",
                                    roof && row.dense ? percent(rate / roof->rate) : "-",
                                    roof ? nameOf(roof->bound) : "-"};
                   });
}

}  // namespace reelgrid::cli

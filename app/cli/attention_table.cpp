#include "app/cli/attention_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/cli/console.h"
#include "core/base/number_text.h"

namespace reelgrid::cli {
namespace {

using benchmark::AttentionReport;
using benchmark::AttentionRow;
using benchmark::MeasuredCase;
using Line = std::vector<std::string>;

constexpr std::array kMetrics{
    std::pair{AttentionMetric::Time, "time"},
    std::pair{AttentionMetric::Throughput, "throughput"},
    std::pair{AttentionMetric::Bandwidth, "bandwidth"},
    std::pair{AttentionMetric::ArithmeticIntensity, "arithmetic_intensity"},
};

constexpr std::size_t kTextColumns = 3;  ///< shape, dtype, kernel: aligned left, figures right

std::string scientific(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2e", value);
    return text.data();
}

/// In characters, of UTF-8.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
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

std::string figureOf(AttentionMetric metric, const MeasuredCase& measured, const AttentionRow& row) {
    switch (metric) {
        case AttentionMetric::Time:
            return fixed(row.p50 * 1e3, 3);
        case AttentionMetric::Throughput:
            return fixed(rateOf(measured, row) / 1e12, 4);
        case AttentionMetric::Bandwidth:
            return fixed(bandwidthOf(measured, row) / 1e9, 3);
        case AttentionMetric::ArithmeticIntensity:
            break;
    }
    return fixed(intensityOf(measured), 1);
}

Line titles(std::optional<AttentionMetric> metric) {
    Line line{"shape", "dtype", "kernel"};
    if (metric)
        line.push_back(titleOf(*metric));
    else
        line.insert(line.end(),
                    {"ms", "p95", "kernel ms", "GFLOP/s", "of peak", "× sdpa", "cosine", "L1", "RMSE"});
    return line;
}

Line lineOf(const AttentionReport& report, const MeasuredCase& measured, const AttentionRow& row,
            std::optional<AttentionMetric> metric) {
    Line line{textOf(measured.wanted.shape), kernels::nameOf(measured.wanted.type), row.kernel};
    if (metric) {
        line.push_back(figureOf(*metric, measured, row));
        return line;
    }
    const auto share = shareOfPeak(report, measured, row);
    line.insert(line.end(),
                {fixed(row.p50 * 1e3, 3), fixed(row.p95 * 1e3, 3),
                 row.kernelP50 ? fixed(*row.kernelP50 * 1e3, 3) : "-", fixed(rateOf(measured, row) / 1e9, 1),
                 share ? fixed(100 * *share, 1) + " %" : "-", fixed(timesSdpa(measured, row), 2),
                 fixed(row.accuracy.cosine, 6), scientific(row.accuracy.l1), scientific(row.accuracy.rmse)});
    return line;
}

std::string aligned(const std::vector<Line>& lines, const std::vector<std::string>& remarks) {
    std::vector<std::size_t> widths(lines.front().size(), 0);
    for (const Line& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], widthOf(line[i]));
    std::string text;
    for (std::size_t n = 0; n < lines.size(); ++n) {
        for (std::size_t i = 0; i < lines[n].size(); ++i) {
            const std::string padding(widths[i] - widthOf(lines[n][i]), ' ');
            text += i == 0 ? "" : "  ";
            text += i < kTextColumns ? lines[n][i] + padding : padding + lines[n][i];
        }
        text += remarks[n] + "\n";
    }
    return text;
}

std::string machineOf(const AttentionReport& report) {
    std::string text = "cpu: " + report.cpuName + ", " + report.instructionSet + ", " +
                       std::to_string(report.threads) + (report.threads == 1 ? " thread" : " threads");
    std::string peaks;
    const auto note = [&](const char* name, double rate) {
        if (rate > 0) peaks += (peaks.empty() ? "" : ", ") + std::string(name) + " " + fixed(rate / 1e9, 0);
    };
    note("fp32", report.peaks.fp32);
    note("bf16", report.peaks.bf16);
    note("int8", report.peaks.int8);
    if (!peaks.empty()) text += "; peak GFLOP/s: " + peaks;
    if (report.clock == benchmark::Clock::Processor) text += "; processor time of all threads, peak of one";
    return text + "\n";
}

}  // namespace

Result<AttentionMetric> attentionMetricFrom(const std::string& name) {
    std::string known;
    for (const auto& [metric, text] : kMetrics) {
        if (name == text) return metric;
        known += (known.empty() ? "" : ", ") + std::string(text);
    }
    return Error{ErrorCode::BadUsage, "--metric " + name + ": one of " + known + " was needed"};
}

const char* nameOf(AttentionMetric wanted) {
    for (const auto& [metric, text] : kMetrics)
        if (metric == wanted) return text;
    return "";
}

std::string attentionTable(const AttentionReport& report, std::optional<AttentionMetric> metric) {
    std::vector<Line> lines{titles(metric)};
    std::vector<std::string> remarks{""};
    for (const MeasuredCase& measured : report.cases)
        for (const AttentionRow& row : measured.rows) {
            lines.push_back(lineOf(report, measured, row, metric));
            remarks.push_back(row.why.empty() ? "" : "  " + row.used + " ran: " + row.why);
        }
    return machineOf(report) + aligned(lines, remarks);
}

}  // namespace reelgrid::cli

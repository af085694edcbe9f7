#include "core/benchmark/attention_csv.h"

#include <array>
#include <cstdio>
#include <utility>

namespace reelgrid::benchmark {
namespace {

using Cells = std::vector<std::pair<const char*, std::string>>;

std::string number(double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.9g", value);
    return text.data();
}
std::string number(std::int64_t value) {
    return std::to_string(value);
}
std::string number(const std::optional<double>& value, double factor) {
    return value ? number(*value * factor) : "";
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

Cells cellsOf(const AttentionReport& report, const MeasuredCase& measured, const AttentionRow& row) {
    const AttentionCase& wanted = measured.wanted;
    const AttentionShape& s = wanted.shape;
    const auto roof = roofOf(report, measured, row);
    return {{"INPUT_IDX", wanted.captured ? number(wanted.captured->inputIndex) : ""},
            {"CALL_IDX", wanted.captured ? number(wanted.captured->callIndex) : ""},
            {"BATCH", number(s.batch)},
            {"HQ", number(s.heads)},
            {"HK", number(s.keyHeads)},
            {"N_CTX_Q", number(s.queries)},
            {"N_CTX_K", number(s.keys)},
            {"D_HEAD", number(s.headDim)},
            {"D_HEAD_V", number(s.headDim)},
            {"kernel", row.kernel},
            {"used", row.used},
            {"dtype", kernels::nameOf(wanted.type)},
            {"causal", wanted.mask == kernels::Mask::Causal ? "1" : "0"},
            {"k_smooth", row.keysSmoothed ? (*row.keysSmoothed ? "1" : "0") : ""},
            {"dense", row.dense ? "1" : "0"},
            {"time(ms)", number(row.p50 * 1e3)},
            {"throughput(TFLOPS)", number(rateOf(measured, row) / 1e12)},
            {"bandwidth(GB/s)", number(bandwidthOf(measured, row) / 1e9)},
            {"arithmetic_intensity(FLOP/byte)", number(intensityOf(measured, row))},
            {"kernel_time(ms)", number(row.kernelP50, 1e3)},
            {"kernel_throughput(TFLOPS)", number(kernelRateOf(measured, row), 1e-12)},
            {"time_p05(ms)", number(row.p05 * 1e3)},
            {"time_p95(ms)", number(row.p95 * 1e3)},
            {"time_best(ms)", number(row.best * 1e3)},
            {"time_cv", number(row.variation, 1)},
            {"repetitions", number(std::int64_t{row.repetitions})},
            {"x_sdpa", number(timesSdpa(measured, row))},
            {"peak_share", number(shareOfPeak(report, measured, row), 1)},
            {"roof(TFLOPS)", roof ? number(roof->rate / 1e12) : ""},
            {"bound", roof ? nameOf(roof->bound) : ""},
            {"cosine", number(row.accuracy.cosine)},
            {"relative_l1", number(row.accuracy.l1)},
            {"rmse", number(row.accuracy.rmse)},
            {"mae", number(row.accuracy.mae)},
            {"max_error", number(row.accuracy.maxError)},
            {"why", row.why}};
}

template <class Part>
std::string lineOf(const Cells& cells, Part part) {
    std::string line;
    for (const auto& cell : cells) line += quoted(part(cell)) + (&cell == &cells.back() ? "\n" : ",");
    return line;
}

}  // namespace

std::string asCsv(const AttentionReport& report) {
    std::string text;
    for (const MeasuredCase& measured : report.cases)
        for (const AttentionRow& row : measured.rows) {
            const Cells cells = cellsOf(report, measured, row);
            if (text.empty()) text = lineOf(cells, [](const auto& cell) { return std::string(cell.first); });
            text += lineOf(cells, [](const auto& cell) { return cell.second; });
        }
    return text;
}

}  // namespace reelgrid::benchmark

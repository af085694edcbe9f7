#include "core/benchmark/attention_report.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/version.h"
#include "kernels/cpu/peak_rate.h"

namespace reelgrid::benchmark {
namespace {

using nlohmann::json;

json asJson(const AttentionReport& report, const MeasuredCase& measured, const AttentionRow& row) {
    const AttentionShape& s = measured.wanted.shape;
    const double rate = rateOf(measured, row);
    json object = {{"kernel", row.kernel},
                   {"used", row.used},
                   {"dtype", kernels::nameOf(measured.wanted.type)},
                   {"shape", {s.batch, s.heads, s.queries, s.headDim}},
                   {"keys", s.keys},
                   {"causal", measured.wanted.mask == kernels::Mask::Causal},
                   {"repetitions", row.repetitions},
                   {"ms_p50", row.p50 * 1e3},
                   {"ms_p95", row.p95 * 1e3},
                   {"ms_best", row.best * 1e3},
                   {"ms_kernel_p50", nullptr},
                   {"flop", operationsOf(s, measured.wanted.mask)},
                   {"flop_is_dense_equivalent", !row.dense},
                   {"gflops", rate / 1e9},
                   {"tflops", rate / 1e12},
                   {"gbytes_per_s", bandwidthOf(measured, row) / 1e9},
                   {"flop_per_byte", intensityOf(measured)},
                   {"x_sdpa", timesSdpa(measured, row)},
                   {"cosine", row.accuracy.cosine},
                   {"l1", row.accuracy.l1},
                   {"rmse", row.accuracy.rmse}};
    if (!row.why.empty()) object["why"] = row.why;
    if (row.kernelP50) object["ms_kernel_p50"] = *row.kernelP50 * 1e3;
    if (const auto share = shareOfPeak(report, measured, row)) object["peak_share"] = *share;
    return object;
}

}  // namespace

double Peaks::of(kernels::DataType type) const {
    return type == kernels::DataType::BFloat16 && bf16 > 0 ? bf16 : fp32;
}

Peaks measurePeaks(Clock clock) {
    using namespace kernels::cpu;
    const int threads = clock == Clock::Processor ? 1 : at::get_num_threads();
    return {.fp32 = measurePeakRate(PeakOf::Fp32, threads),
            .bf16 = measurePeakRate(PeakOf::Bf16, threads),
            .int8 = measurePeakRate(PeakOf::Int8, threads)};
}

Peaks highest(const Peaks& a, const Peaks& b) {
    return {
        .fp32 = std::max(a.fp32, b.fp32), .bf16 = std::max(a.bf16, b.bf16), .int8 = std::max(a.int8, b.int8)};
}

double rateOf(const MeasuredCase& measured, const AttentionRow& row) {
    return operationsOf(measured.wanted.shape, measured.wanted.mask) / row.p50;
}

double bandwidthOf(const MeasuredCase& measured, const AttentionRow& row) {
    return bytesOf(measured.wanted.shape, measured.wanted.type) / row.p50;
}

double intensityOf(const MeasuredCase& measured) {
    return operationsOf(measured.wanted.shape, measured.wanted.mask) /
           bytesOf(measured.wanted.shape, measured.wanted.type);
}

double timesSdpa(const MeasuredCase& measured, const AttentionRow& row) {
    return measured.rows.front().p50 / row.p50;
}

std::optional<double> shareOfPeak(const AttentionReport& report, const MeasuredCase& measured,
                                  const AttentionRow& row) {
    const double peak = report.peaks.of(measured.wanted.type);
    if (peak <= 0 || !row.dense) return std::nullopt;
    return rateOf(measured, row) / peak;
}

json asJson(const AttentionReport& report) {
    json peaks = json::object();
    const auto notePeak = [&](const char* name, double rate) {
        if (rate > 0) peaks[name] = rate / 1e9;
    };
    notePeak("fp32", report.peaks.fp32);
    notePeak("bf16", report.peaks.bf16);
    notePeak("int8", report.peaks.int8);
    json document = {{"device", "cpu"},
                     {"cpu", report.cpuName},
                     {"instruction_set", report.instructionSet},
                     {"threads", report.threads},
                     {"versions", {{"reelgrid", kVersion}, {"libtorch", TORCH_VERSION}}},
                     {"clock", report.clock == Clock::Wall ? "wall" : "processor"},
                     {"peak_gflops", peaks},
                     {"inputs", "normal"},
                     {"accuracy_rows", kReferenceRows},
                     {"rows", json::array()}};
    for (const MeasuredCase& measured : report.cases)
        for (const AttentionRow& row : measured.rows)
            document["rows"].push_back(asJson(report, measured, row));
    return document;
}

}  // namespace reelgrid::benchmark

#include "core/benchmark/attention_json.h"

#include <torch/headeronly/version.h>

#include <nlohmann/json.hpp>

#include "core/base/version.h"

namespace reelgrid::benchmark {
namespace {

using nlohmann::json;

void noteTimes(json& object, const AttentionReport& report, const MeasuredCase& measured,
               const AttentionRow& row) {
    const double rate = rateOf(measured, row);
    object["repetitions"] = row.repetitions;
    object["ms_p50"] = row.p50 * 1e3;
    object["ms_p05"] = row.p05 * 1e3;
    object["ms_p95"] = row.p95 * 1e3;
    object["ms_best"] = row.best * 1e3;
    if (row.variation) object["cv"] = *row.variation;
    object["ms_kernel_p50"] = row.kernelP50 ? json(*row.kernelP50 * 1e3) : json();
    object["flop"] = operationsOf(measured.wanted.shape, measured.wanted.mask);
    object["flop_is_dense_equivalent"] = !row.dense;
    object["bytes"] = bytesOf(measured, row);
    object["gflops"] = rate / 1e9;
    object["tflops"] = rate / 1e12;
    if (const auto kernelRate = kernelRateOf(measured, row)) object["tflops_kernel"] = *kernelRate / 1e12;
    object["gbytes_per_s"] = bandwidthOf(measured, row) / 1e9;
    object["flop_per_byte"] = intensityOf(measured, row);
    object["x_sdpa"] = timesSdpa(measured, row);
    if (const auto share = shareOfPeak(report, measured, row)) object["peak_share"] = *share;
    if (const auto roof = roofOf(report, measured, row)) {
        object["roof_gflops"] = roof->rate / 1e9;
        object["bound"] = nameOf(roof->bound);
        if (row.dense) object["roof_share"] = rate / roof->rate;
    }
}

void noteCapture(json& object, const Captured& captured) {
    object["file"] = captured.file.string();
    object["input_idx"] = captured.inputIndex;
    object["call_idx"] = captured.callIndex;
    if (captured.step) object["step"] = *captured.step;
    if (captured.layer) object["layer"] = *captured.layer;
}

json asJson(const AttentionReport& report, const MeasuredCase& measured, const AttentionRow& row) {
    const AttentionCase& wanted = measured.wanted;
    const AttentionShape& s = wanted.shape;
    json object = {{"kernel", row.kernel},
                   {"used", row.used},
                   {"dtype", kernels::nameOf(wanted.type)},
                   {"shape", {s.batch, s.heads, s.queries, s.headDim}},
                   {"kv_heads", s.keyHeads},
                   {"keys", s.keys},
                   {"causal", wanted.mask == kernels::Mask::Causal},
                   {"cosine", row.accuracy.cosine},
                   {"l1", row.accuracy.l1},
                   {"rmse", row.accuracy.rmse},
                   {"mae", row.accuracy.mae},
                   {"max_error", row.accuracy.maxError}};
    if (!wanted.preset.empty()) object["preset"] = wanted.preset;
    if (wanted.captured) noteCapture(object, *wanted.captured);
    if (!row.why.empty()) object["why"] = row.why;
    if (!row.choice.empty()) object["libtorch_kernel"] = row.choice;
    if (row.kept) object["kept_share"] = *row.kept;
    if (row.keysSmoothed) object["k_smooth"] = *row.keysSmoothed;
    noteTimes(object, report, measured, row);
    return object;
}

json peaksJson(const Peaks& peaks) {
    json object = json::object();
    for (const auto& [name, rate] : kPeakTypes)
        if (peaks.*rate > 0) object[name] = peaks.*rate / 1e9;
    return object;
}

void noteInputs(json& document, const AttentionReport& report) {
    if (report.cases.empty()) return;
    if (report.cases.front().wanted.captured) {
        document["inputs"] = "captured";
        return;
    }
    const MadeUp& inputs = report.cases.front().wanted.madeUp;
    document["inputs"] = nameOf(inputs.distribution);
    document["seed"] = inputs.seed;
    document["layout"] = inputs.order == MemoryOrder::TokensFirst ? "NHD" : "HND";
}

}  // namespace

json asJson(const AttentionReport& report) {
    json document = {{"device", report.device},
                     {"cpu", report.cpuName},
                     {"instruction_set", report.instructionSet},
                     {"threads", report.threads},
                     {"versions", {{"reelgrid", kVersion}, {"libtorch", TORCH_VERSION}}},
                     {"clock", report.onGpu()                ? "cuda_events"
                               : report.clock == Clock::Wall ? "wall"
                                                             : "processor"},
                     {"peak_gflops", peaksJson(report.peaks)},
                     {"accuracy_rows", kReferenceRows},
                     {"accuracy_heads", kReferenceHeads},
                     {"rows", json::array()}};
    noteInputs(document, report);
    if (report.peaks.bytesPerSecond > 0) document["peak_gbytes_per_s"] = report.peaks.bytesPerSecond / 1e9;
    if (report.onGpu()) document["gpu"] = report.gpuName;
    for (const auto& [name, version] : report.versions) document["versions"][name] = version;
    for (const MeasuredCase& measured : report.cases)
        for (const AttentionRow& row : measured.rows)
            document["rows"].push_back(asJson(report, measured, row));
    return document;
}

}  // namespace reelgrid::benchmark

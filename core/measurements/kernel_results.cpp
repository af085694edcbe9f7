#include "core/measurements/kernel_results.h"

#include <algorithm>
#include <filesystem>

#include "core/measurements/list_reader.h"

namespace reelgrid::measurements {
namespace {

using nlohmann::json;
using protocol::FieldReader;

void readKernelRow(FieldReader& fields, KernelRow& row) {
    fields.requireText("kernel", row.kernel);
    fields.requireText("used", row.used);
    fields.text("why", row.why);
    fields.requireText("dtype", row.dtype);
    fields.integer("keys", row.keys, 0);
    fields.boolean("causal", row.causal);
    fields.text("preset", row.preset);
    fields.text("file", row.file);
    fields.integer("step", row.step, 0);
    fields.integer("layer", row.layer, 0);
    fields.integer("repetitions", row.repetitions, 0);
    fields.requireNumber("ms_p50", row.msP50, 0);
    fields.number("ms_p05", row.msP05, 0);
    fields.number("ms_p95", row.msP95, 0);
    fields.number("ms_kernel_p50", row.msKernelP50, 0);
    fields.number("tflops", row.tflops, 0);
    fields.number("gbytes_per_s", row.gbytesPerSecond, 0);
    fields.number("flop_per_byte", row.flopPerByte, 0);
    fields.number("x_sdpa", row.timesSdpa, 0);
    fields.number("roof_gflops", row.roofGflops, 0);
    fields.number("peak_share", row.peakShare, 0);
    fields.boolean("flop_is_dense_equivalent", row.flopAreDenseEquivalent);
    fields.requireNumber("cosine", row.cosine, -kMostCosine, kMostCosine);
    fields.requireNumber("l1", row.l1, 0);
    fields.requireNumber("rmse", row.rmse, 0);
    fields.number("max_error", row.maxError, 0);
    auto sizes = sizesFrom(fields.array("shape", 4, true), "shape");
    if (sizes && sizes->size() == 4)
        row.shape = *std::move(sizes);
    else
        fields.fail(sizes ? "shape: four sizes were needed" : sizes.error().message);
}

Result<std::map<std::string, double>> peaksFrom(const json& object) {
    constexpr std::size_t kMostPeaks = 32;
    std::map<std::string, double> peaks;
    for (const auto& [name, rate] : object.items()) {
        if (!rate.is_number() || rate.get<double>() <= 0 || peaks.size() == kMostPeaks)
            return Error{ErrorCode::InvalidData,
                         "peak_gflops " + name + ": at most 32 numbers above 0 were needed"};
        peaks[name] = rate.get<double>();
    }
    return peaks;
}

}  // namespace

std::string KernelRow::input() const {
    std::string text;
    if (!file.empty()) {
        if (step) text += "step " + std::to_string(*step);
        if (layer) text += (text.empty() ? "layer " : ", layer ") + std::to_string(*layer);
        if (text.empty()) text = std::filesystem::path(file).stem().string();
        text += " · ";
    } else if (!preset.empty()) {
        text = preset + " · ";
    }
    text += sizesText(shape);
    if (keys != 0 && keys != shape[2]) text += " over " + std::to_string(keys) + " keys";
    return text + " " + dtype + (causal ? " causal" : "");
}

std::vector<std::string> KernelResults::inputNames() const {
    std::vector<std::string> names;
    for (const KernelRow& row : rows)
        if (std::string name = row.input(); std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    return names;
}

Result<KernelResults> kernelResultsFrom(const json& document) {
    KernelResults results;
    FieldReader fields(document, "kernel benchmark", ErrorCode::InvalidData);
    fields.requireText("device", results.device);
    fields.text("cpu", results.machine);
    fields.text("gpu", results.machine);
    fields.text("inputs", results.inputs);
    fields.number("peak_gbytes_per_s", results.peakGbytesPerSecond, 0);
    const json* peaks = fields.object("peak_gflops", true);
    const json* rows = fields.array("rows", kMostRows, true);
    if (auto read = fields.finish(); !read) return read.error();
    auto rates = peaksFrom(*peaks);
    if (!rates) return rates.error().in("kernel benchmark");
    results.peakGflops = *std::move(rates);
    auto read = rowsFrom<KernelRow>(*rows, "kernel benchmark: row", readKernelRow);
    if (!read) return read.error();
    results.rows = *std::move(read);
    return results;
}

}  // namespace reelgrid::measurements

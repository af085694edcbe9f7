#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/bench_verbs.h"
#include "app/cli/benched_system.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "app/cli/wrong_option.h"
#include "core/base/number_text.h"
#include "core/base/text_table.h"
#include "core/benchmark/conv_benchmark.h"
#include "core/benchmark/statistics.h"
#include "core/execution/fp32_precision.h"
#include "core/machine/local_machine.h"
#include "core/protocol/render_fields.h"

namespace reelgrid::cli {
namespace {

using benchmark::FrameConvResult;
using benchmark::FrameConvRow;
using benchmark::FrameConvShape;

struct BenchConv {
    std::vector<std::string> shapes;
    int repetitions = 5;
    std::string device = "cpu", dtype;
    bool json = false;
};

std::string shapeWords(const FrameConvShape& shape) {
    return std::to_string(shape.frames) + " frames of " + std::to_string(shape.columns) + "×" +
           std::to_string(shape.rows) + ", " + std::to_string(shape.channels) + " channels";
}

/// "2.5e-07"
std::string exponentOf(double value) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.1e", value);
    return text.data();
}

/// fp32 on the CPU and fp16 on a GPU unless the option says otherwise.
Result<benchmark::FrameConvPlace> placeOf(const BenchConv& verb) {
    auto execution = execution::executionOn(verb.device);
    if (!execution) return execution.error();
    benchmark::FrameConvPlace place{*execution, execution->device.is_cpu() ? at::kFloat : at::kHalf};
    if (verb.dtype.empty()) return place;
    for (const auto& [name, dtype] :
         {std::pair{"fp32", at::kFloat}, {"bf16", at::kBFloat16}, {"fp16", at::kHalf}})
        if (verb.dtype == name) {
            place.dtype = dtype;
            return place;
        }
    return wrongOption("--dtype", verb.dtype, "fp32, bf16 or fp16");
}

std::string convTable(const std::vector<FrameConvResult>& results) {
    std::vector<TableLine> lines{
        {{"layer", "kernel", "ms", "GFLOP/s", "GB", "GB/s", "rmse", "libtorch = 1"}, ""}};
    for (const FrameConvResult& result : results) {
        const double libtorch = benchmark::median(result.rows.front().seconds);
        for (const FrameConvRow& row : result.rows) {
            const double seconds = benchmark::median(row.seconds);
            const bool first = &row == &result.rows.front();
            lines.push_back({{first ? shapeWords(result.shape) : "", row.kernel, fixed(1e3 * seconds, 1),
                              fixed(result.shape.flops() / seconds / 1e9, 0),
                              fixed(static_cast<double>(row.bytes) / 1e9, 2),
                              fixed(static_cast<double>(row.bytes) / seconds / 1e9, 1), exponentOf(row.rmse),
                              fixed(libtorch / seconds, 2) + "×"},
                             ""});
        }
    }
    return alignedTable(lines, 2);
}

int runConv(const BenchConv& verb, const machine::LocalMachine& machine) {
    constexpr int kMostRepetitions = 1000;
    if (verb.repetitions < 1 || verb.repetitions > kMostRepetitions)
        return fail(
            wrongOption("--num-repetitions", std::to_string(verb.repetitions), "a number from 1 to 1000"));
    std::vector<FrameConvShape> shapes = benchmark::usualFrameConvs();
    if (!verb.shapes.empty()) shapes.clear();
    for (const std::string& text : verb.shapes) {
        const auto shape = FrameConvShape::from(text);
        if (!shape) return fail(shape.error());
        shapes.push_back(*shape);
    }
    const auto place = placeOf(verb);
    if (!place) return fail(place.error());
    execution::setFp32Precision(protocol::kIeee);
    const InterruptWatch interrupts;
    std::vector<FrameConvResult> results;
    ProgressLine line;
    for (const FrameConvShape& shape : shapes)
        results.push_back(benchmark::measureFrameConv(
            shape, *place, verb.repetitions,
            [&](int done, int total) { line.update("bench conv", shapeWords(shape), done, total, -1); },
            interrupts.token()));
    line.clear();
    const benchmark::System system = benchedSystem(place->execution, machine.now());
    if (!verb.json) return printResult(systemText(system) + "\n" + convTable(results));
    nlohmann::json document = {{"system", toJson(system)}, {"layers", nlohmann::json::array()}};
    for (const FrameConvResult& result : results) document["layers"].push_back(toJson(result));
    return printResult(document);
}

}  // namespace

Verb addBenchConv(CLI::App& bench, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<BenchConv>();
    CLI::App* command = bench.add_subcommand("conv",
                                             "A layer along time of a video model (norm, silu, 3×1×1 "
                                             "convolution, residual): libtorch's operators, "
                                             "matrix products, our own kernels");
    command->add_option("--shape", verb->shapes,
                        "F,H,W,C: frames, rows, columns and channels; may be given more than once "
                        "(default: those of Stable Video Diffusion's UNet at 1024x576)");
    command->add_option("--num-repetitions", verb->repetitions, "Timed turns")->capture_default_str();
    command->add_option("--device", verb->device, "cpu, cuda or cuda:N")->capture_default_str();
    command->add_option("--dtype", verb->dtype,
                        "fp32, bf16 or fp16 (default: fp32 on the CPU, fp16 on a GPU)");
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb, &machine] { return runConv(*verb, machine); }};
}

}  // namespace reelgrid::cli

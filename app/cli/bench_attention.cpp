#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/attention_chart.h"
#include "app/cli/attention_files.h"
#include "app/cli/attention_options.h"
#include "app/cli/attention_table.h"
#include "app/cli/bench_verbs.h"
#include "app/cli/console.h"
#include "app/cli/plugin_options.h"
#include "app/cli/progress_line.h"
#include "app/cli/stdout_on_stderr.h"
#include "core/base/json.h"
#include "core/benchmark/attention_csv.h"
#include "core/benchmark/attention_json.h"
#include "core/execution/device_description.h"
#include "core/machine/cpu.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::cli {
namespace {

using benchmark::AttentionCase;
using benchmark::AttentionReport;

struct BenchAttention {
    AttentionOptions asked;
    std::string metric = "all";
    std::vector<std::string> outputs;
    bool wholeCalls = false;
    bool roofline = false;
    bool json = false;
};

AttentionReport describeMachine(const AttentionCase& first) {
    AttentionReport report;
    const execution::DeviceDescription gpu = describe(first.execution);
    report.device = first.execution.device.str();
    report.gpuName = gpu.name;
    report.versions = gpu.versions;
    report.cpuName = machine::inspectCpu().name;
    report.instructionSet = kernels::nameOf(kernels::selectedInstructionSet());
    report.threads = at::get_num_threads();
    report.clock = first.clock;
    return report;
}

Result<AttentionReport> measure(const std::vector<AttentionCase>& cases) {
    StdoutOnStderr kernelsMayPrint;
    AttentionReport report = describeMachine(cases.front());
    const auto peaks = [&] { return measurePeaks(cases.front().execution, report.clock); };
    report.peaks = peaks();
    ProgressLine line;
    for (const AttentionCase& wanted : cases) {
        const std::string what = labelOf(wanted) + " " + kernels::nameOf(wanted.type);
        report.cases.push_back({wanted, measureAttention(wanted, [&](int done, int total, double eta) {
                                    line.update(what, "measuring", done, total, eta);
                                })});
    }
    // Again, as another program may have had the cores the first time.
    report.peaks = highest(report.peaks, peaks());
    if (auto printable = kernelsMayPrint.giveBack(); !printable) return printable.error();
    return report;
}

int report(const BenchAttention& verb, std::optional<AttentionMetric> metric,
           const std::vector<AttentionFile>& files, const AttentionReport& measured) {
    nlohmann::json document = asJson(measured);
    if (metric) document["metric"] = nameOf(*metric);
    const AttentionContents contents{.json = [&] { return printJsonIndented(document) + "\n"; },
                                     .csv = [&] { return asCsv(measured); },
                                     .svg = [&] { return attentionChart(measured, metric); }};
    if (auto written = writeAttentionFiles(files, contents); !written) return fail(written.error());
    if (verb.json) return printResult(document);
    std::string text =
        attentionTable(measured, metric, verb.wholeCalls ? KernelTimes::LeftOut : KernelTimes::Shown);
    if (verb.roofline) text += "\n" + rooflineTable(measured);
    return printResult(text);
}

int runAttention(const BenchAttention& verb) {
    const auto metric = attentionMetricFrom(verb.metric);
    if (!metric) return fail(metric.error());
    try {
        const auto cases = verb.asked.cases();
        if (!cases) return fail(cases.error());
        const auto files = attentionFiles(verb.outputs);
        if (!files) return fail(files.error());
        const auto measured = measure(*cases);
        if (!measured) return fail(measured.error());
        return report(verb, *metric, *files, *measured);
    } catch (const c10::Error& failure) {
        const bool memory = dynamic_cast<const c10::OutOfMemoryError*>(&failure) != nullptr;
        const std::string words = failure.what_without_backtrace();
        return fail(
            {memory ? ErrorCode::OutOfMemory : ErrorCode::Internal, words.substr(0, words.find('\n'))});
    }
}

void addOptions(CLI::App* command, BenchAttention& verb) {
    verb.asked.addTo(*command);
    addPluginOption(*command);
    command
        ->add_option("--metric", verb.metric,
                     "Print this figure alone: time, throughput, bandwidth, arithmetic_intensity; or all")
        ->capture_default_str();
    command->add_flag("--e2e", verb.wholeCalls,
                      "Whole calls alone, quantisation included, without the kernels' own times beside them");
    command->add_flag("--roofline", verb.roofline,
                      "Also print where each kernel lies under the machine's roofs of compute and memory");
    command->add_option("-o,--output", verb.outputs,
                        "Also write this file, by its ending: .json, .csv, .svg or .png (a chart with the "
                        "roofline); may be repeated");
    command->add_flag("--json", verb.json, "Print one JSON document");
}

}  // namespace

Verb addBenchAttention(CLI::App& bench) {
    auto verb = std::make_shared<BenchAttention>();
    CLI::App* command = bench.add_subcommand(
        "attention",
        "Time and error of attention kernels on made-up or saved inputs, sdpa always among them");
    addOptions(command, *verb);
    return {command, [verb] { return runAttention(*verb); }};
}

}  // namespace reelgrid::cli

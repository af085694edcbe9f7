#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/cli/attention_table.h"
#include "app/cli/bench_verbs.h"
#include "app/cli/console.h"
#include "app/cli/machine.h"
#include "app/cli/progress_line.h"
#include "app/cli/unbuilt_options.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/base/pending_file.h"
#include "core/benchmark/attention_report.h"
#include "core/execution/memory_check.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::cli {
namespace {

using benchmark::AttentionCase;

/// The demo model's self-attention.
constexpr const char* kDefaultShape = "1,3,1296,128";

struct BenchAttention {
    std::vector<std::string> kernels;
    std::vector<std::string> shapes{kDefaultShape};
    std::vector<std::string> dtypes{"bf16"};
    std::string device = "cpu";
    std::string metric;
    std::string output;
    bool causal = false;
    bool processorTime = false;
    std::optional<int> repetitions;
    bool json = false;
    UnbuiltOptions later;
};

Result<kernels::DataType> dataTypeFrom(const std::string& name) {
    constexpr std::array kNames{
        std::pair{"fp32", kernels::DataType::Float32},  std::pair{"float32", kernels::DataType::Float32},
        std::pair{"bf16", kernels::DataType::BFloat16}, std::pair{"bfloat16", kernels::DataType::BFloat16},
        std::pair{"fp16", kernels::DataType::Float16},  std::pair{"float16", kernels::DataType::Float16},
    };
    const std::string plain = name.starts_with("torch.") ? name.substr(6) : name;
    for (const auto& [known, type] : kNames)
        if (plain == known) return type;
    return Error{ErrorCode::BadUsage, "--dtype " + name + ": one of fp32, bf16, fp16 was needed"};
}

Result<std::vector<const kernels::BackendInfo*>> backendsFrom(const std::vector<std::string>& names) {
    std::vector<const kernels::BackendInfo*> found;
    for (const std::string& name : names) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        if (backend == nullptr)
            return Error{ErrorCode::BadUsage,
                         "--kernel " + name + ": one of " + kernels::backendNames() + " was needed"};
        if (std::find(found.begin(), found.end(), backend) != found.end())
            return Error{ErrorCode::BadUsage, "--kernel: " + name + " twice"};
        found.push_back(backend);
    }
    if (found.empty()) found = kernels::backendsOn(kernels::Device::Cpu);
    return found;
}

Result<void> checkMachine(const BenchAttention& verb) {
    if (verb.device == "cuda") return Error{ErrorCode::BadUsage, "--device cuda: not in this version"};
    if (verb.device != "cpu")
        return Error{ErrorCode::BadUsage, "--device " + verb.device + ": cpu was needed"};
    try {
        static_cast<void>(kernels::selectedInstructionSet());
    } catch (const std::runtime_error& error) {
        return Error{ErrorCode::BadUsage, error.what()};
    }
    return {};
}

Result<void> checkMemory(const AttentionCase& wanted) {
    const double needed = memoryToMeasure(wanted.shape, wanted.type, wanted.mask);
    const double available = double(execution::availableMemory({}));
    if (needed <= available) return {};
    return Error{ErrorCode::OutOfMemory, "--shape " + textOf(wanted.shape) + " needs about " +
                                             fixed(needed * 1e-9, 1) + " GB of memory, " +
                                             fixed(available * 1e-9, 1) + " GB are free"};
}

Result<std::vector<AttentionCase>> casesFrom(const BenchAttention& verb) {
    if (auto checked = checkMachine(verb); !checked) return checked.error();
    if (verb.repetitions && *verb.repetitions < 1)
        return Error{ErrorCode::BadUsage, "--num-repetitions " + std::to_string(*verb.repetitions) +
                                              ": a number from 1 was needed"};
    AttentionCase common;
    common.mask = verb.causal ? kernels::Mask::Causal : kernels::Mask::None;
    common.clock = verb.processorTime ? benchmark::Clock::Processor : benchmark::Clock::Wall;
    common.repetitions = verb.repetitions.value_or(0);
    auto backends = backendsFrom(verb.kernels);
    if (!backends) return backends.error();
    common.backends = *std::move(backends);

    std::vector<AttentionCase> cases;
    for (const std::string& text : verb.shapes) {
        const auto shape = benchmark::parseShape(text);
        if (!shape) return shape.error();
        for (const std::string& name : verb.dtypes) {
            const auto type = dataTypeFrom(name);
            if (!type) return type.error();
            common.shape = *shape;
            common.type = *type;
            if (auto checked = checkMemory(common); !checked) return checked.error();
            cases.push_back(common);
        }
    }
    return cases;
}

benchmark::AttentionReport measure(const BenchAttention& verb, const std::vector<AttentionCase>& cases) {
    benchmark::AttentionReport report;
    report.cpuName = inspectMachine().cpuName;
    report.instructionSet = kernels::nameOf(kernels::selectedInstructionSet());
    report.threads = at::get_num_threads();
    report.clock = verb.processorTime ? benchmark::Clock::Processor : benchmark::Clock::Wall;
    report.peaks = benchmark::measurePeaks(report.clock);
    ProgressLine line;
    for (const AttentionCase& wanted : cases) {
        const std::string what = textOf(wanted.shape) + " " + kernels::nameOf(wanted.type);
        report.cases.push_back({wanted, measureAttention(wanted, [&](int done, int total, double eta) {
                                    line.update(what, "measuring", done, total, eta);
                                })});
    }
    // Again, as another program may have had the cores the first time.
    report.peaks = highest(report.peaks, benchmark::measurePeaks(report.clock));
    return report;
}

/// Before measuring, so that a wrong path doesn't cost minutes.
Result<void> checkWritable(const std::string& path) {
    if (path.empty()) return {};
    const auto file = PendingFile::create(path);
    return file ? Result<void>() : file.error();
}

int runAttention(const BenchAttention& verb) {
    if (auto checked = verb.later.check(); !checked) return fail(checked.error());
    std::optional<AttentionMetric> metric;
    if (!verb.metric.empty()) {
        const auto known = attentionMetricFrom(verb.metric);
        if (!known) return fail(known.error());
        metric = *known;
    }
    const auto cases = casesFrom(verb);
    if (!cases) return fail(cases.error());
    if (auto writable = checkWritable(verb.output); !writable) return fail(writable.error());
    const benchmark::AttentionReport report = measure(verb, *cases);
    nlohmann::json document = asJson(report);
    if (metric) document["metric"] = nameOf(*metric);
    if (!verb.output.empty())
        if (auto written = writeFile(verb.output, printJsonIndented(document) + "\n"); !written)
            return fail(written.error());
    return verb.json ? printResult(document) : printResult(attentionTable(report, metric));
}

void addOptions(CLI::App* command, BenchAttention& verb) {
    command
        ->add_option("--kernel", verb.kernels, "Which, separated by commas (all): " + kernels::backendNames())
        ->delimiter(',');
    command
        ->add_option("--shape", verb.shapes,
                     "B,H,N,D or B,H,N,D,Nk: batch, heads, queries, head dim, keys; may be repeated")
        ->capture_default_str();
    command->add_option("--dtype", verb.dtypes, "fp32, bf16, fp16, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--device", verb.device, "cpu")->capture_default_str();
    command->add_option("--metric", verb.metric,
                        "Print this figure alone: time, throughput, bandwidth, arithmetic_intensity");
    command->add_flag("--causal", verb.causal, "With a causal mask, aligned at the bottom right");
    command->add_option("--num-repetitions", verb.repetitions,
                        "Turns of every kernel (about a second's worth, 7 to 301)");
    command->add_flag("--cpu-time", verb.processorTime,
                      "Measure the processor time of all threads together, on a machine that others use too");
    command->add_option("-o,--output", verb.output, "Also write the JSON document to this file");
    command->add_flag("--json", verb.json, "Print one JSON document");
    for (const char* name : {"--input-dir", "--max-inputs", "--tensor-layout", "--sample-rate"})
        verb.later.addValue(*command, name);
    for (const char* name : {"--no-k-smooth", "--e2e"}) verb.later.addFlag(*command, name);
}

}  // namespace

Verb addBenchAttention(CLI::App& bench) {
    auto verb = std::make_shared<BenchAttention>();
    CLI::App* command = bench.add_subcommand(
        "attention", "Time and error of attention kernels on made-up inputs, sdpa always among them");
    addOptions(command, *verb);
    return {command, [verb] { return runAttention(*verb); }};
}

}  // namespace reelgrid::cli

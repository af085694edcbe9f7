#include <CLI/CLI.hpp>
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
#include "core/benchmark/sampler_benchmark.h"
#include "core/benchmark/statistics.h"
#include "core/machine/local_machine.h"

namespace reelgrid::cli {
namespace {

struct BenchSampler {
    std::string shape = "4,14,72,128", device = "cpu";
    int repetitions = 20;
    bool json = false;
};

std::string samplerTable(const std::vector<benchmark::SamplerRow>& rows) {
    std::vector<TableLine> lines{
        {{"sampler", "ms a step", "libtorch ms", "less", "MB", "libtorch MB", "same bits"}, ""}};
    for (const benchmark::SamplerRow& row : rows) {
        const double fused = benchmark::median(row.onePass), libtorch = benchmark::median(row.oneByOne);
        lines.push_back(
            {{row.sampler, fixed(1e3 * fused, 3), fixed(1e3 * libtorch, 3),
              fixed(100 * (1 - fused / libtorch), 0) + " %",
              fixed(static_cast<double>(row.bytesOnePass) / 1e6, 1),
              fixed(static_cast<double>(row.bytesOneByOne) / 1e6, 1), row.sameBits ? "yes" : "no"},
             ""});
    }
    return alignedTable(lines, 1);
}

int runSampler(const BenchSampler& verb, const machine::LocalMachine& machine) {
    constexpr int kMostRepetitions = 1000;
    if (verb.repetitions < 1 || verb.repetitions > kMostRepetitions)
        return fail(
            wrongOption("--num-repetitions", std::to_string(verb.repetitions), "a number from 1 to 1000"));
    const auto clip = benchmark::LatentClip::from(verb.shape);
    if (!clip) return fail(clip.error());
    const auto execution = execution::executionOn(verb.device);
    if (!execution) return fail(execution.error());
    const InterruptWatch interrupts;
    ProgressLine line;
    const std::vector<benchmark::SamplerRow> rows = benchmark::measureSamplers(
        *clip, *execution, verb.repetitions,
        [&](int done, int total) { line.update("bench sampler", verb.shape, done, total, -1); },
        interrupts.token());
    line.clear();
    const benchmark::System system = benchedSystem(*execution, machine.now());
    if (!verb.json) return printResult(systemText(system) + "\n" + samplerTable(rows));
    const nlohmann::json document = {{"system", toJson(system)},
                                     {"shape", {clip->channels, clip->frames, clip->rows, clip->columns}},
                                     {"samplers", toJson(rows)}};
    return printResult(document);
}

}  // namespace

Verb addBenchSampler(CLI::App& bench, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<BenchSampler>();
    CLI::App* command = bench.add_subcommand("sampler",
                                             "What lies between two passes of a model (guidance, the "
                                             "sampler's step, the next input): one pass over "
                                             "memory, and libtorch's operations one after another");
    command->add_option("--shape", verb->shape, "C,F,H,W of latents")->capture_default_str();
    command->add_option("--device", verb->device, "cpu, cuda or cuda:N")->capture_default_str();
    command->add_option("--num-repetitions", verb->repetitions, "Timed turns")->capture_default_str();
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb, &machine] { return runSampler(*verb, machine); }};
}

}  // namespace reelgrid::cli

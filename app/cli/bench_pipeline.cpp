#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/bench_verbs.h"
#include "app/cli/benched_system.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/pipeline_table.h"
#include "app/cli/progress_line.h"
#include "app/cli/render_options.h"
#include "app/cli/temporary_folder.h"
#include "app/cli/wrong_option.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/benchmark/pipeline_baseline.h"
#include "core/comparison/summary.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "core/result/model_hashes.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

using benchmark::PipelineBaseline;
using benchmark::PipelineReport;

constexpr int kMostRepetitions = 1000;
constexpr const char* kUsualLoss = "5%";

struct BenchPipeline {
    RenderOptions render;
    std::string attentionType = protocol::kReferenceBackend;
    int repetitions = 3;
    int warmup = 1;
    bool reload = false;
    std::string baseline;
    std::string maxLoss;  ///< empty: kUsualLoss
    std::string output;
    bool json = false;
};

/// "5%" or "5": 0.05.
Result<double> shareFrom(const std::string& text) {
    constexpr double kMostPercent = 1000;
    double percent = -1;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, percent);
    const bool ends = read.ptr == end || (read.ptr + 1 == end && *read.ptr == '%');
    if (read.ec != std::errc() || !ends || !(percent >= 0 && percent <= kMostPercent))
        return wrongOption("--max-loss", text, "a percentage from 0% to 1000%");
    return percent / 100;
}

Result<void> checkCounts(const BenchPipeline& verb) {
    if (verb.repetitions < 1 || verb.repetitions > kMostRepetitions)
        return wrongOption("--num-repetitions", std::to_string(verb.repetitions), "a number from 1 to 1000");
    if (verb.warmup < 0 || verb.warmup > kMostRepetitions)
        return wrongOption("--warmup", std::to_string(verb.warmup), "a number from 0 to 1000");
    return {};
}

/// By what --attention-type covers.
std::string attentionUsedIn(const result::Manifest& manifest) {
    std::string joined;
    for (const protocol::ModuleKindInfo& kind : protocol::kModuleKinds)
        if (const std::string used = kind.followsAttentionType ? manifest.usedAttention(kind.kind) : "";
            !used.empty())
            joined += (joined.empty() ? "" : "+") + used;
    return joined;
}

/// Renders over and over into a folder that is gone afterwards; true to its settings as they ran.
Result<void> renderAll(const BenchPipeline& verb, CheckedRequest checked,
                       const machine::LocalMachine& machine, PipelineReport& report) {
    const TemporaryFolder folder("reelgrid-bench");
    checked.setOutput((folder.path() / "clip.mp4").string());
    const InterruptWatch interrupts;
    auto renderer = std::make_unique<pipeline::Renderer>(machine);
    ProgressLine line;
    std::optional<double> load;
    const int total = verb.warmup + verb.repetitions;
    for (int done = 0; done < total; ++done) {
        if (verb.reload && done > 0) renderer = std::make_unique<pipeline::Renderer>(machine);
        const std::string what = (done < verb.warmup ? "warm-up " : "") + std::to_string(done + 1) + " of " +
                                 std::to_string(total);
        const auto progress = [&](const protocol::RenderProgress& now) {
            line.update(what, now.stage, now.done, now.total, now.etaSeconds);
        };
        const auto clip = renderer->render(checked.request(), progress, interrupts.token());
        line.clear();
        if (!clip) {
            if (clip.error().code == ErrorCode::Cancelled) return Error{ErrorCode::Cancelled, "cancelled"};
            return clip.error();
        }
        const result::ClipResult made = result::readClipResult(*clip);
        if (!made.problems.empty()) return made.problems.front();
        if (!made.timing() || !made.manifest.settings)
            return Error{ErrorCode::Internal, "the render says nothing of its times"};
        if (done == 0) {
            for (const std::string& remark : comparison::attentionRemarks(made.manifest)) say(remark);
            load = made.timing()->stage(benchmark::kLoad);
        }
        report.settings = *made.manifest.settings;
        report.attentionUsed = attentionUsedIn(made.manifest);
        if (done >= verb.warmup) report.repetitions.push_back(*made.timing());
    }
    // Loaded once, it was timed once, be that in a warm-up.
    if (!verb.reload && verb.warmup > 0 && load) {
        result::Timing& first = report.repetitions.front();
        first.add(benchmark::kLoad, *load);
        if (first.wallTime) *first.wallTime += *load;
        first = first.complete();
    }
    return {};
}

Result<PipelineReport> reportFor(const BenchPipeline& verb, const CheckedRequest& checked,
                                 const machine::Machine& machine) {
    const auto execution = execution::executionOn(checked.settings().device);
    if (!execution) return execution.error();
    result::ComponentHasher hasher;
    auto hashes = result::modelHashes(checked.model(), checked.settings(), hasher);
    if (!hashes) return hashes.error();
    PipelineReport report;
    report.system = benchedSystem(*execution, machine);
    report.model = checked.model().id;
    report.modelHashes = *std::move(hashes);
    report.settings = checked.settings();
    report.warmup = verb.warmup;
    return report;
}

std::string maxLossOf(const BenchPipeline& verb) {
    return verb.maxLoss.empty() ? kUsualLoss : verb.maxLoss;
}

int runPipeline(const BenchPipeline& verb, const machine::LocalMachine& here) {
    if (auto counts = checkCounts(verb); !counts) return fail(counts.error());
    const auto maxLoss = shareFrom(maxLossOf(verb));
    if (!maxLoss) return fail(maxLoss.error());
    // Nothing would ever be too slow.
    if (!verb.maxLoss.empty() && verb.baseline.empty())
        return fail({ErrorCode::BadUsage, "--max-loss " + verb.maxLoss +
                                              ": it says how much slower than --baseline is too slow; "
                                              "--baseline FILE was needed"});
    const machine::Machine machine = here.now();
    auto checked = verb.render.check(verb.attentionType, machine);
    if (!checked) return fail(checked.error());
    std::optional<PipelineBaseline> baseline;
    if (!verb.baseline.empty()) {
        auto read = benchmark::readBaseline(verb.baseline);
        if (!read) return fail(read.error().in("--baseline"));
        baseline = *std::move(read);
    }
    // Before rendering, so that a wrong path doesn't cost minutes.
    if (!verb.output.empty())
        if (auto file = PendingFile::create(verb.output); !file) return fail(file.error());
    auto report = reportFor(verb, *checked, machine);
    if (!report) return fail(report.error());
    if (baseline)
        if (auto same = requireSameMeasurement(*report, *baseline); !same) return fail(same.error());
    sayIdleChoices(*checked);
    verb.render.sayIdleOptions(*checked);
    if (auto rendered = renderAll(verb, *checked, here, *report); !rendered) return fail(rendered.error());
    if (baseline)
        if (auto same = requireSameMeasurement(*report, *baseline); !same) return fail(same.error());

    nlohmann::json document = toJson(*report);
    std::vector<benchmark::StageChange> changes;
    if (baseline) {
        changes = compareStages(*report, *baseline, *maxLoss);
        document["comparison"] = toJson(changes, *baseline, *maxLoss);
        for (const std::string& difference : differencesWorthAWord(*report, *baseline))
            say("note: --baseline " + baseline->path + ": " + difference);
    }
    if (!verb.output.empty())
        if (auto written = writeFile(verb.output, printJsonIndented(document) + "\n"); !written)
            return fail(written.error());
    const int printed = verb.json ? printResult(document)
                                  : printResult(pipelineTable(*report) +
                                                (baseline ? changeTable(changes, *baseline, *maxLoss) : ""));
    if (baseline && !anyHeld(changes))
        return fail({ErrorCode::BadUsage, "--baseline " + baseline->path +
                                              ": nothing could be held against it; a baseline of the same "
                                              "stages was needed"});
    if (!anyLost(changes)) return printed;
    say("reelgrid-cli: slower than --baseline " + baseline->path + " by more than " + maxLossOf(verb) + ": " +
        lostStages(changes));
    return 1;
}

}  // namespace

Verb addBenchPipeline(CLI::App& bench, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<BenchPipeline>();
    CLI::App* command = bench.add_subcommand(
        "pipeline", "Time the stages of whole renders, over and over, and hold them against an earlier time");
    verb->render.addTo(*command, {"attention_type", "num_repetitions", "ulysses_degree", "ring_degree",
                                  "cfg_parallel", "shard_weights"});
    command
        ->add_option("--attention-type", verb->attentionType,
                     "Backend of self-attention: " + kernels::backendNames() + " or default")
        ->capture_default_str();
    command->add_option("--num-repetitions", verb->repetitions, "Timed renders")->capture_default_str();
    command->add_option("--warmup", verb->warmup, "Untimed renders before them")->capture_default_str();
    command->add_flag("--reload", verb->reload, "Load the model anew for each render");
    command->add_option("--baseline", verb->baseline,
                        "Hold the times against those in this document of an earlier run (see -o)");
    command->add_option(
        "--max-loss", verb->maxLoss,
        std::string("With --baseline: exit code 1 when median and fastest time of a stage both grew by more "
                    "(default: ") +
            kUsualLoss + ")");
    command->add_option("-o,--output", verb->output, "Also write the JSON document to this file");
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb, machine] { return runPipeline(*verb, machine); }};
}

}  // namespace reelgrid::cli

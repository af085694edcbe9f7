#include "app/cli/pipeline_table.h"

#include "app/cli/benched_system.h"
#include "core/base/number_text.h"
#include "core/base/text_table.h"

namespace reelgrid::cli {
namespace {

using benchmark::StageChange;
using benchmark::StageSeries;
using benchmark::Verdict;

constexpr int kDecimals = 4;

/// What was asked for, what ran where that is another one, and what else is in the times.
std::string attentionText(const benchmark::PipelineReport& report) {
    const catalog::RenderSettings& settings = report.settings;
    std::string text = attentionName(settings);
    if (!report.attentionUsed.empty() && report.attentionUsed != settings.attentionType)
        text += " (" + report.attentionUsed + " ran)";
    if (settings.profileOutput) text += ", profiled (the profiler's time is in the figures)";
    if (settings.saveInputs) text += ", saving attention's inputs (their time is in the figures)";
    return text;
}

std::string percent(double change) {
    return (change >= 0 ? "+" : "") + fixed(100 * change, 1) + " %";
}

TableLine lineOf(const StageSeries& series) {
    const bool several = series.seconds.size() > 1;
    return {{series.stage, fixed(series.p50(), kDecimals), several ? fixed(series.best(), kDecimals) : "-",
             several ? fixed(series.worst(), kDecimals) : "-", std::to_string(series.seconds.size())},
            ""};
}

TableLine lineOf(const StageChange& change) {
    std::vector<std::string> cells{change.stage,
                                   change.then.seconds.empty() ? "-" : fixed(change.then.p50(), kDecimals),
                                   change.now.seconds.empty() ? "-" : fixed(change.now.p50(), kDecimals)};
    if (!change.isMeasured())
        cells.insert(cells.end(), {"-", "-"});
    else
        cells.insert(cells.end(), {percent(change.ofMedian()), percent(change.ofBest())});
    cells.emplace_back(change.verdict == Verdict::NotHeld ? "(not held)" : nameOf(change.verdict));
    return {cells, ""};
}

}  // namespace

std::string pipelineTable(const benchmark::PipelineReport& report) {
    const catalog::RenderSettings& settings = report.settings;
    std::string text = systemText(report.system) + "\nrender   " + report.model + ", " +
                       attentionText(report) + ", " + settings.dtype + ", " + std::to_string(settings.width) +
                       "×" + std::to_string(settings.height) + ", " + std::to_string(settings.numFrames) +
                       " frames, " + std::to_string(settings.numInferenceSteps) + " steps; " +
                       std::to_string(report.repetitions.size()) + " timed, " +
                       std::to_string(report.warmup) + " before\n\n";
    std::vector<TableLine> lines{{{"stage", "median s", "fastest", "slowest", "times"}, ""}};
    for (const StageSeries& series : report.stages()) lines.push_back(lineOf(series));
    return text + alignedTable(lines, 1);
}

std::string changeTable(const std::vector<StageChange>& changes, const benchmark::PipelineBaseline& then,
                        double maxLoss) {
    std::vector<TableLine> lines{{{"stage", "then s", "now s", "median", "fastest", ""}, ""}};
    bool noisy = false;
    for (const StageChange& change : changes) {
        lines.push_back(lineOf(change));
        noisy = noisy || change.verdict == Verdict::Noisy;
    }
    std::string text = "\nagainst " + then.path + ", at most " + percent(maxLoss) +
                       " in both median and fastest\n" + alignedTable(lines, 1);
    if (noisy)
        text +=
            "noisy: only one of the two grew by more; a quiet machine or more --num-repetitions would tell\n";
    return text;
}

std::string lostStages(const std::vector<StageChange>& changes) {
    std::string text;
    for (const StageChange& change : changes)
        if (change.verdict == Verdict::Lost)
            text += (text.empty() ? "" : ", ") + change.stage + " " + percent(change.ofMedian());
    return text;
}

}  // namespace reelgrid::cli

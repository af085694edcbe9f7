#include "core/benchmark/pipeline_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/benchmark/statistics.h"

namespace reelgrid::benchmark {
namespace {

using nlohmann::json;

json toJson(const StageSeries& series) {
    return {{"stage", series.stage},
            {"s_p50", series.p50()},
            {"s_min", series.best()},
            {"s_max", series.worst()},
            {"seconds", series.seconds}};
}

void add(std::vector<StageSeries>& series, const std::string& stage, double seconds) {
    const auto found = std::ranges::find(series, stage, &StageSeries::stage);
    if (found == series.end())
        series.push_back({stage, {seconds}});
    else
        found->seconds.push_back(seconds);
}

}  // namespace

double StageSeries::p50() const {
    return median(seconds);
}
double StageSeries::best() const {
    return std::ranges::min(seconds);
}
double StageSeries::worst() const {
    return std::ranges::max(seconds);
}

std::vector<StageSeries> PipelineReport::stages() const {
    std::vector<StageSeries> series;
    for (const result::Timing& timing : repetitions)
        for (const auto& [stage, seconds] : timing.stages) {
            add(series, stage, seconds);
            if (stage == kDenoise && !timing.steps.empty()) add(series, kStep, median(timing.steps));
        }
    for (const result::Timing& timing : repetitions)
        if (timing.pipeTime) add(series, kPipeTime, *timing.pipeTime);
    return series;
}

std::vector<StageSeries> PipelineReport::steps() const {
    std::vector<StageSeries> series;
    for (const result::Timing& timing : repetitions)
        for (std::size_t step = 0; step < timing.steps.size(); ++step)
            add(series, std::to_string(step), timing.steps[step]);
    return series;
}

json toJson(const PipelineReport& report) {
    json document = {{"system", toJson(report.system)},
                     {"model", {{"id", report.model}, {"hashes", report.modelHashes}}},
                     {"settings", protocol::fieldsJson(report.settings)},
                     {"warmup", report.warmup},
                     {"repetitions", report.repetitions.size()},
                     {"stages", json::array()},
                     {"steps", json::array()}};
    if (!report.attentionUsed.empty()) document["attention_used"] = report.attentionUsed;
    for (const StageSeries& series : report.stages()) document["stages"].push_back(toJson(series));
    for (const StageSeries& series : report.steps()) document["steps"].push_back(toJson(series));
    return document;
}

}  // namespace reelgrid::benchmark

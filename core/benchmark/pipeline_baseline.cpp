#include "core/benchmark/pipeline_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::benchmark {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxStages = 64;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxRepetitions = 100000;
/// Of pipe_time: what takes less is as long as a hiccup.
constexpr double kSmallestPart = 0.01;

Result<StageSeries> seriesFrom(const json& object) {
    StageSeries series;
    protocol::FieldReader fields(object, "stages", ErrorCode::InvalidData);
    fields.requireText("stage", series.stage, kMaxNameBytes);
    const json* seconds = fields.array("seconds", kMaxRepetitions, true);
    if (auto read = fields.finish(); !read) return read.error();
    for (const json& value : *seconds) {
        const double number = value.is_number() ? value.get<double>() : 0;
        if (!std::isfinite(number) || number <= 0)
            return Error{ErrorCode::InvalidData, "stages: " + series.stage + ": seconds " + showJson(value) +
                                                     ": a number above 0 was needed"};
        series.seconds.push_back(number);
    }
    if (series.seconds.empty())
        return Error{ErrorCode::InvalidData, "stages: " + series.stage + ": it has no seconds"};
    return series;
}

Result<PipelineBaseline> baselineFrom(const json& document) {
    PipelineBaseline baseline;
    protocol::FieldReader fields(document, "baseline", ErrorCode::InvalidData);
    const json* system = fields.object("system", true);
    const json* model = fields.object("model", true);
    const json* settings = fields.object("settings", true);
    fields.text("attention_used", baseline.attentionUsed);
    const json* stages = fields.array("stages", kMaxStages, true);
    if (auto read = fields.finish(); !read) return read.error();
    baseline.system = *system;
    baseline.model = *model;
    baseline.settings = *settings;
    for (const json& stage : *stages) {
        auto series = seriesFrom(stage);
        if (!series) return series.error();
        baseline.stages.push_back(*std::move(series));
    }
    return baseline;
}

/// The value at a path like "/cpu/name"; null where there is none.
json at(const json& object, const char* path) {
    const json::json_pointer pointer(path);
    return object.contains(pointer) ? object.at(pointer) : json();
}

/// What a person calls the value that is held against the baseline's.
struct SameAs {
    const char* path;
    const char* words;
};
constexpr std::array kSameSystem{
    SameAs{"/device/type", "device"}, SameAs{"/device/name", "GPU"}, SameAs{"/cpu/name", "processor"},
    SameAs{"/cpu/threads", "number of threads"}, SameAs{"/cpu/instruction_set", "instruction set"}};

const StageSeries* find(const std::vector<StageSeries>& stages, const std::string& name) {
    const auto found = std::ranges::find(stages, name, &StageSeries::stage);
    return found == stages.end() ? nullptr : &*found;
}

Verdict verdictOf(const StageChange& change, double maxLoss) {
    const double factor = 1 + maxLoss;
    const bool slowerMedian = change.ofMedian() + 1 > factor, slowerBest = change.ofBest() + 1 > factor;
    if (slowerMedian && slowerBest) return Verdict::Lost;
    if (slowerMedian || slowerBest) return Verdict::Noisy;
    const bool fasterMedian = (change.ofMedian() + 1) * factor < 1,
               fasterBest = (change.ofBest() + 1) * factor < 1;
    return fasterMedian && fasterBest ? Verdict::Gained : Verdict::Same;
}

}  // namespace

Result<PipelineBaseline> readBaseline(const std::filesystem::path& path) {
    auto document = readJsonObject(path, kMaxBytes);
    if (!document) return document.error();
    auto baseline = baselineFrom(*document);
    if (!baseline) return baseline.error().in(path.string());
    baseline->path = path.string();
    return baseline;
}

Result<void> requireSameMeasurement(const PipelineReport& now, const PipelineBaseline& then) {
    const auto differ = [&](const std::string& what, const json& before, const json& after) {
        return Error{ErrorCode::BadUsage, "--baseline " + then.path + ": its " + what + " was " +
                                              showJson(before) + ", this is " + showJson(after)};
    };
    const json system = toJson(now.system);
    for (const auto& [path, words] : kSameSystem)
        if (at(then.system, path) != at(system, path))
            return differ(words, at(then.system, path), at(system, path));
    const json hashes = now.modelHashes;
    if (at(then.model, "/hashes") != hashes)
        return Error{ErrorCode::BadUsage, "--baseline " + then.path + ": its model " +
                                              showJson(at(then.model, "/id")) +
                                              " was not the same files as " + showJson(json(now.model))};
    const json settings = protocol::fieldsJson(now.settings);
    for (const auto& [key, value] : settings.items()) {
        if (key == "num_repetitions" || value == protocol::kTilingAuto) continue;
        if (!then.settings.contains(key) || then.settings[key] != value)
            return differ(key, then.settings.value(key, json()), value);
    }
    for (const auto& [key, value] : then.settings.items())
        if (!settings.contains(key)) return differ(key, value, json());
    const bool isKnown = !then.attentionUsed.empty() && !now.attentionUsed.empty();
    if (isKnown && then.attentionUsed != now.attentionUsed)
        return differ("attention that ran", then.attentionUsed, now.attentionUsed);
    return {};
}

std::vector<std::string> differencesWorthAWord(const PipelineReport& now, const PipelineBaseline& then) {
    std::vector<std::string> lines;
    const auto note = [&](const std::string& what, const json& before, const json& after) {
        if (before != after)
            lines.push_back("its " + what + " was " + showJson(before) + ", this is " + showJson(after));
    };
    const json system = toJson(now.system);
    for (const auto& [name, version] : now.system.versions)
        note(name, at(then.system, ("/versions/" + name).c_str()), version);
    note("kernel", at(then.system, "/kernel"), at(system, "/kernel"));
    note("distribution", at(then.system, "/distribution"), at(system, "/distribution"));
    return lines;
}

const char* nameOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Same:
            return "same";
        case Verdict::Lost:
            return "lost";
        case Verdict::Gained:
            return "gained";
        case Verdict::Noisy:
            return "noisy";
        case Verdict::NotHeld:
            break;
    }
    return "not_held";
}

double StageChange::ofMedian() const {
    return now.p50() / then.p50() - 1;
}
double StageChange::ofBest() const {
    return now.best() / then.best() - 1;
}

std::vector<StageChange> compareStages(const PipelineReport& now, const PipelineBaseline& then,
                                       double maxLoss) {
    const StageSeries* pipe = find(then.stages, kPipeTime);
    std::vector<StageChange> changes;
    const std::vector<StageSeries> stages = now.stages();
    for (const StageSeries& series : stages) {
        StageChange change{.stage = series.stage, .then = {series.stage, {}}, .now = series};
        if (const StageSeries* before = find(then.stages, series.stage)) {
            change.then = *before;
            const bool tells = pipe == nullptr || before->p50() >= kSmallestPart * pipe->p50();
            // A step is small by itself, and many of them are the render.
            if (series.stage != kLoad && (tells || series.stage == kStep))
                change.verdict = verdictOf(change, maxLoss);
        }
        changes.push_back(std::move(change));
    }
    for (const StageSeries& series : then.stages)
        if (find(stages, series.stage) == nullptr)
            changes.push_back({.stage = series.stage, .then = series, .now = {series.stage, {}}});
    return changes;
}

bool anyLost(const std::vector<StageChange>& changes) {
    return std::ranges::find(changes, Verdict::Lost, &StageChange::verdict) != changes.end();
}

json toJson(const std::vector<StageChange>& changes, const PipelineBaseline& then, double maxLoss) {
    json stages = json::array();
    for (const StageChange& change : changes) {
        json stage = {{"stage", change.stage}, {"verdict", nameOf(change.verdict)}};
        if (!change.then.seconds.empty()) stage["then_s_p50"] = change.then.p50();
        if (!change.now.seconds.empty()) stage["now_s_p50"] = change.now.p50();
        if (!change.then.seconds.empty() && !change.now.seconds.empty()) {
            stage["change"] = change.ofMedian();
            stage["change_of_best"] = change.ofBest();
        }
        stages.push_back(std::move(stage));
    }
    return {{"baseline", then.path}, {"max_loss", maxLoss}, {"lost", anyLost(changes)}, {"stages", stages}};
}

}  // namespace reelgrid::benchmark

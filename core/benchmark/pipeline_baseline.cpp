#include "core/benchmark/pipeline_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ranges>
#include <utility>

#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/protocol/field_reader.h"
#include "core/result/timing.h"

namespace reelgrid::benchmark {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxStages = 64;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxRepetitions = 100000;
/// Longer than anything that was ever rendered.
constexpr double kMostSeconds = 1e9;
/// Of a number that the file states and of its list's: what digits that were left out may make.
constexpr double kRounding = 1e-6;
/// Of pipe_time: what takes less is as long as a hiccup.
constexpr double kSmallestPart = 0.01;

Error invalid(const std::string& message) {
    return {ErrorCode::InvalidData, message};
}

const StageSeries* find(const std::vector<StageSeries>& stages, const std::string& name) {
    const auto found = std::ranges::find(stages, name, &StageSeries::stage);
    return found == stages.end() ? nullptr : &*found;
}

/// What is stated beside a list has to be the list's.
Result<void> checkStated(const json& object, const char* key, double ofList, const std::string& what) {
    std::optional<double> stated;
    protocol::FieldReader fields(object, what, ErrorCode::InvalidData);
    fields.number(key, stated);
    if (auto read = fields.finish(); !read) return read;
    if (!stated || std::abs(*stated - ofList) <= kRounding * std::max(1.0, ofList)) return {};
    return invalid(what + ": " + key + " " + showJson(*stated) + ": that of its seconds, " +
                   showJson(ofList) + ", was needed");
}

Result<StageSeries> seriesFrom(const json& object) {
    StageSeries series;
    protocol::FieldReader fields(object, "stages", ErrorCode::InvalidData);
    fields.requireText("stage", series.stage, kMaxNameBytes);
    const json* seconds = fields.array("seconds", kMaxRepetitions, true);
    if (auto read = fields.finish(); !read) return read.error();
    const std::string what = "stages: " + nameInOneLine(series.stage);
    for (const json& value : *seconds) {
        const double number = value.is_number() ? value.get<double>() : -1;
        if (!(number >= 0 && number <= kMostSeconds))
            return invalid(what + ": seconds " + showJson(value) + ": a number from 0 to 1e9 was needed");
        series.seconds.push_back(number);
    }
    if (series.seconds.empty()) return invalid(what + ": it has no seconds");
    for (const auto& [key, ofList] :
         {std::pair{"s_p50", series.p50()}, {"s_min", series.best()}, {"s_max", series.worst()}})
        if (auto agrees = checkStated(object, key, ofList, what); !agrees) return agrees.error();
    return series;
}

/// Whether compareStages() could hold it against anything.
bool canBeHeld(const StageSeries& series) {
    return series.stage == kStep || series.stage == kPipeTime ||
           (series.stage != kLoad && result::isStage(series.stage));
}

/// What stages say of each other, and of the number of repetitions; 0: the file doesn't tell it.
Result<void> checkTogether(const std::vector<StageSeries>& stages, int repetitions) {
    if (std::ranges::none_of(stages, canBeHeld))
        return invalid("stages: none of its " + std::to_string(stages.size()) +
                       " can be held against a render's: one such as denoise was needed");
    const auto timesOf = [](const StageSeries& series) { return series.seconds.size(); };
    const std::size_t most = std::ranges::max(stages | std::views::transform(timesOf));
    if (repetitions > 0 && most != static_cast<std::size_t>(repetitions))
        return invalid("repetitions " + std::to_string(repetitions) + ": as many as its stages have times, " +
                       std::to_string(most) + ", was needed");
    const StageSeries *pipe = find(stages, kPipeTime), *denoise = find(stages, kDenoise);
    if (pipe == nullptr || denoise == nullptr || pipe->seconds.size() != denoise->seconds.size()) return {};
    for (std::size_t i = 0; i < pipe->seconds.size(); ++i)
        if (pipe->seconds[i] < denoise->seconds[i] * (1 - kRounding))
            return invalid("stages: pipe_time: seconds " + showJson(pipe->seconds[i]) +
                           ": no less than denoising, which is a part of it, took, " +
                           showJson(denoise->seconds[i]) + ", was needed");
    return {};
}

Result<PipelineBaseline> baselineFrom(const json& document) {
    PipelineBaseline baseline;
    protocol::FieldReader fields(document, "baseline", ErrorCode::InvalidData);
    const json* system = fields.object("system", true);
    const json* model = fields.object("model", true);
    const json* settings = fields.object("settings", true);
    fields.text("attention_used", baseline.attentionUsed);
    int repetitions = 0;
    fields.integer("repetitions", repetitions, 1);
    const json* stages = fields.array("stages", kMaxStages, true);
    if (auto read = fields.finish(); !read) return read.error();
    baseline.system = *system;
    baseline.model = *model;
    baseline.settings = *settings;
    for (const json& stage : *stages) {
        auto series = seriesFrom(stage);
        if (!series) return series.error();
        if (find(baseline.stages, series->stage) != nullptr)
            return invalid("stages: " + nameInOneLine(series->stage) + " is there twice, once was needed");
        baseline.stages.push_back(*std::move(series));
    }
    if (auto agrees = checkTogether(baseline.stages, repetitions); !agrees) return agrees.error();
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
    auto document = readJsonObject(path, kMaxBytes, RepeatedKeys::Refused);
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

bool StageChange::isMeasured() const {
    return !then.seconds.empty() && !now.seconds.empty() && then.best() > 0;
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
            if (change.isMeasured() && series.stage != kLoad && (tells || series.stage == kStep))
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

bool anyHeld(const std::vector<StageChange>& changes) {
    return std::ranges::any_of(changes,
                               [](const StageChange& each) { return each.verdict != Verdict::NotHeld; });
}

json toJson(const std::vector<StageChange>& changes, const PipelineBaseline& then, double maxLoss) {
    json stages = json::array();
    for (const StageChange& change : changes) {
        json stage = {{"stage", change.stage}, {"verdict", nameOf(change.verdict)}};
        if (!change.then.seconds.empty()) stage["then_s_p50"] = change.then.p50();
        if (!change.now.seconds.empty()) stage["now_s_p50"] = change.now.p50();
        if (change.isMeasured()) {
            stage["change"] = change.ofMedian();
            stage["change_of_best"] = change.ofBest();
        }
        stages.push_back(std::move(stage));
    }
    return {{"baseline", then.path}, {"max_loss", maxLoss}, {"lost", anyLost(changes)}, {"stages", stages}};
}

}  // namespace reelgrid::benchmark

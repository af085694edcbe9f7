#include "core/suite/suite_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"
#include "core/result/json_numbers.h"
#include "core/session/clip_path.h"

namespace reelgrid::suite {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using protocol::FieldReader;

constexpr std::size_t kMostAxes = 100;
constexpr std::size_t kMostKeyBytes = 256;
constexpr std::size_t kMostLines = 1000;

Error wrongField(const std::string& message) {
    return {ErrorCode::InvalidData, message};
}

FieldReader fieldsOf(const json& object, const std::string& what) {
    return {object, what, ErrorCode::InvalidData};
}

/// Like fieldsOf(), of what may be no object at all.
Result<void> requireObject(const json& object, const std::string& what) {
    if (object.is_object()) return {};
    return wrongField(what + " " + showJson(object) + ": an object was needed");
}

Result<Axis> readAxis(const json& object, const std::string& what) {
    if (auto is = requireObject(object, what); !is) return is.error();
    Axis axis;
    FieldReader fields = fieldsOf(object, what);
    fields.requireText("key", axis.key, kMostKeyBytes);
    const json* values = fields.array("values", kMostSuiteJobs, true);
    if (auto read = fields.finish(); !read) return read.error();
    if (values->empty()) return wrongField(what + ": values []: at least one was needed");
    for (const json& value : *values)
        if (printJson(value).size() > FieldReader::kMaxTextBytes)
            return wrongField(what + ": a value of more than " + std::to_string(FieldReader::kMaxTextBytes) +
                              " bytes, fewer were needed");
    axis.values = {values->begin(), values->end()};
    return axis;
}

Result<void> readAxes(const json& list, SuitePlan& plan) {
    for (const json& object : list) {
        const std::string what = "axis " + std::to_string(plan.axes.size() + 1);
        auto axis = readAxis(object, what);
        if (!axis) return axis.error();
        if (plan.axis(axis->key) != nullptr)
            return wrongField(what + ": key " + showJson(axis->key) + " once more: each once was needed");
        plan.axes.push_back(*std::move(axis));
    }
    if (plan.axis(kBackendAxis) != nullptr && plan.axes.back().key != kBackendAxis)
        return wrongField(std::string("axes: ") + kBackendAxis + " was needed as the last of them");
    if (auto expanded = expand(plan); !expanded) return wrongField("axes: " + expanded.error().message);
    return {};
}

Result<fs::path> readClip(const std::string& stored, const fs::path& folder, const std::string& what) {
    const Error outside =
        wrongField(what + ": clip " + showJson(stored) + ": a file inside the suite's folder was needed");
    if (fs::path(stored).is_absolute()) return outside;
    const auto resolved = session::resolveClipPath(stored, folder);
    if (!resolved || resolved->where == session::ClipPlace::Outside) return outside;
    return resolved->path;
}

Result<Measured> readMeasured(const json& object, const std::string& what) {
    Measured measured;
    FieldReader fields = fieldsOf(object, what);
    for (const SuiteMeasure& measure : suiteMeasures()) {
        std::optional<double> value;
        fields.number(measure.key, value);
        if (value && !isPossible(measure, *value))
            return wrongField(what + ": " + measure.key + " " + showJson(*value) +
                              ": a number that clips have was needed");
        if (value) measured[measure.key] = *value;
    }
    if (auto read = fields.finish(); !read) return read.error();
    return measured;
}

Result<SuiteRow> readJob(const json& object, const SuitePlan& plan, std::size_t job, const fs::path& folder) {
    const std::string what = "job " + std::to_string(job + 1);
    if (auto is = requireObject(object, what); !is) return is.error();
    SuiteRow row{job, {}, {}, {}};
    std::string clip;
    std::optional<std::string> error;
    FieldReader fields = fieldsOf(object, what);
    const json* axes = fields.object("axes", true);
    const json* measures = fields.object("measures", true);
    fields.requireText("clip", clip, result::kMaxPathBytes);
    fields.text("error", error);
    fields.text("remark", row.remark);
    const json* why = fields.array("why", kMostLines);
    if (auto read = fields.finish(); !read) return read.error();
    if (const json place = plan.values(plan.jobs[job]); *axes != place)
        return wrongField(what + ": axes " + showJson(*axes) + ": " + showJson(place) + " was needed");
    auto path = readClip(clip, folder, what);
    if (!path) return path.error();
    auto measured = readMeasured(*measures, what + ": measures");
    if (!measured) return measured.error();
    row.clip = *std::move(path);
    row.measured = *std::move(measured);
    for (std::size_t i = 0; why != nullptr && i < why->size(); ++i) {
        if (!(*why)[i].is_string())
            return wrongField(what + ": why " + showJson((*why)[i]) + ": a text was needed");
        row.why.push_back((*why)[i].get<std::string>());
    }
    if (error) row.error = Error{ErrorCode::Internal, *std::move(error)};
    return row;
}

Result<Estimate> readEstimate(const json& object, const std::string& what) {
    Estimate estimate;
    std::uint64_t prompts = 0, clips = 0;
    FieldReader fields = fieldsOf(object, what);
    fields.requireNumber("mean", estimate.mean);
    fields.number("low", estimate.low);
    fields.number("high", estimate.high);
    fields.integer("prompts", prompts);
    fields.integer("clips", clips);
    if (auto read = fields.finish(); !read) return read.error();
    if (prompts > clips || clips > kMostSuiteJobs)
        return wrongField(what + ": " + std::to_string(clips) + " clips of " + std::to_string(prompts) +
                          " prompts: at most " + std::to_string(kMostSuiteJobs) +
                          " clips, each of one prompt, were needed");
    // Of equal numbers each sum is rounded in its own way.
    const double low = estimate.low.value_or(estimate.mean), high = estimate.high.value_or(estimate.mean);
    const double rounding = 1e-9 * std::max(std::abs(low), std::abs(high));
    if (low > estimate.mean + rounding || high < estimate.mean - rounding)
        return wrongField(what + ": mean " + showJson(estimate.mean) + " from " + showJson(low) + " to " +
                          showJson(high) + ": a mean within its interval was needed");
    estimate.prompts = prompts;
    estimate.clips = clips;
    return estimate;
}

Result<std::vector<MeasureSummary>> readSummaries(const json& object, const std::string& where) {
    std::vector<MeasureSummary> summaries;
    FieldReader all = fieldsOf(object, where);
    for (const SuiteMeasure& measure : suiteMeasures()) {
        const json* own = all.object(measure.key);
        if (own == nullptr) continue;
        const std::string what = where + ": " + measure.key;
        auto estimate = readEstimate(*own, what);
        if (!estimate) return estimate.error();
        MeasureSummary summary{&measure, *estimate, {}, {}};
        FieldReader fields = fieldsOf(*own, what);
        fields.number("win_rate", summary.winRate);
        const json* difference = fields.object("difference");
        if (auto read = fields.finish(); !read) return read.error();
        if (summary.winRate && !(*summary.winRate >= 0 && *summary.winRate <= 1))
            return wrongField(what + ": win_rate " + showJson(*summary.winRate) + ": 0 to 1 was needed");
        if (difference != nullptr) {
            auto read = readEstimate(*difference, what + ": difference");
            if (!read) return read.error();
            summary.difference = *read;
        }
        summaries.push_back(summary);
    }
    if (auto read = all.finish(); !read) return read.error();
    return summaries;
}

Result<std::vector<std::size_t>> readWorst(const json& list, std::size_t jobs, const std::string& what) {
    std::vector<std::size_t> worst;
    for (const json& index : list) {
        if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= jobs)
            return wrongField(what + ": worst " + showJson(index) + ": 0 to " + std::to_string(jobs - 1) +
                              " was needed");
        worst.push_back(index.get<std::size_t>());
    }
    return worst;
}

Result<ValueSummary> readValue(const json& object, const SuiteResult& result, const std::string& what) {
    if (auto is = requireObject(object, what); !is) return is.error();
    ValueSummary summary;
    FieldReader fields = fieldsOf(object, what);
    fields.requireText("axis", summary.axis, kMostKeyBytes);
    const json* measures = fields.object("measures", true);
    const json* worst = fields.array("worst", kMostSuiteJobs);
    fields.text("remark", summary.remark);
    if (auto read = fields.finish(); !read) return read.error();
    summary.value = object.value("value", json());
    const Axis* axis = result.plan.axis(summary.axis);
    if (axis == nullptr || std::ranges::find(axis->values, summary.value) == axis->values.end())
        return wrongField(what + ": " + showJson(summary.axis) + " " + showJson(summary.value) +
                          ": a value of one of the axes was needed");
    auto summaries = readSummaries(*measures, what);
    if (!summaries) return summaries.error();
    summary.measures = *std::move(summaries);
    if (worst == nullptr) return summary;
    auto rows = readWorst(*worst, result.rows.size(), what);
    if (!rows) return rows.error();
    summary.worst = *std::move(rows);
    return summary;
}

Result<GateOutcome> readOutcome(const json& object, const std::string& what) {
    if (auto is = requireObject(object, what); !is) return is.error();
    GateOutcome outcome;
    std::uint64_t met = 0, clips = 0;
    FieldReader fields = fieldsOf(object, what);
    fields.text("value", outcome.value);
    fields.integer("met", met);
    fields.integer("clips", clips);
    fields.boolean("passed", outcome.passed);
    fields.text("remark", outcome.remark);
    if (auto read = fields.finish(); !read) return read.error();
    if (met > clips || clips > kMostSuiteJobs)
        return wrongField(what + ": " + std::to_string(met) + " of " + std::to_string(clips) +
                          " clips: no more than there are was needed");
    outcome.met = met;
    outcome.clips = clips;
    return outcome;
}

Result<void> readGate(const json& object, SuiteResult& result) {
    std::string text;
    FieldReader fields = fieldsOf(object, "gate");
    fields.requireText("text", text, kMostKeyBytes);
    const json* outcomes = fields.array("outcomes", kMostSuiteJobs, true);
    if (auto read = fields.finish(); !read) return read.error();
    auto gate = gateFrom(text);
    if (!gate) return wrongField("gate: " + gate.error().message);
    result.gate = *std::move(gate);
    for (const json& each : *outcomes) {
        auto outcome = readOutcome(each, "gate: outcome " + std::to_string(result.gates.size() + 1));
        if (!outcome) return outcome.error();
        if (outcome->passed != result.gate->isPassedBy(outcome->met, outcome->clips))
            return wrongField("gate: " + std::to_string(outcome->met) + " of " +
                              std::to_string(outcome->clips) + " clips meet " + text + ": \"passed\" " +
                              (outcome->passed ? "false" : "true") + " was needed");
        result.gates.push_back(*std::move(outcome));
    }
    return {};
}

Result<SuiteResult::Against> readAgainst(const json& object, const std::string& what) {
    if (auto is = requireObject(object, what); !is) return is.error();
    SuiteResult::Against against;
    FieldReader fields = fieldsOf(object, what);
    fields.requireText("folder", against.folder, result::kMaxPathBytes);
    fields.text("value", against.value);
    fields.text("remark", against.remark);
    const json* measures = fields.object("measures", true);
    if (auto read = fields.finish(); !read) return read.error();
    auto summaries = readSummaries(*measures, what);
    if (!summaries) return summaries.error();
    against.measures = *std::move(summaries);
    return against;
}

/// What the file says of its jobs together.
Result<void> readSums(const json& values, const json* gate, const json* against, const json* notes,
                      SuiteResult& result) {
    for (const json& each : values) {
        auto value = readValue(each, result, "value " + std::to_string(result.values.size() + 1));
        if (!value) return value.error();
        result.values.push_back(*std::move(value));
    }
    if (gate != nullptr)
        if (auto read = readGate(*gate, result); !read) return read.error();
    for (std::size_t i = 0; against != nullptr && i < against->size(); ++i) {
        auto read = readAgainst((*against)[i], "against " + std::to_string(i + 1));
        if (!read) return read.error();
        result.against.push_back(*std::move(read));
    }
    if (notes == nullptr) return {};
    auto read = againstNotesFromJson(*notes, result.rows.size());
    if (!read) return read.error();
    result.againstNotes = *std::move(read);
    return {};
}

}  // namespace

bool isSuite(const json& document) {
    const auto hasList = [&](const char* key) {
        return document.contains(key) && document.at(key).is_array();
    };
    return document.is_object() && hasList("axes") && hasList("jobs") && hasList("values");
}

Result<SuiteResult> suiteFromJson(const json& document, const fs::path& folder) {
    constexpr int kVersion = 1;
    if (auto is = requireObject(document, "suite"); !is) return is.error();
    SuiteResult result;
    int version = 0;
    FieldReader fields = fieldsOf(document, "suite");
    fields.integer("version", version);
    const json* axes = fields.array("axes", kMostAxes, true);
    const json* jobs = fields.array("jobs", kMostSuiteJobs, true);
    const json* values = fields.array("values", kMostSuiteJobs, true);
    const json* gate = fields.object("gate");
    const json* against = fields.array("against", kMostSuiteJobs);
    const json* notes = fields.object("against_notes");
    if (auto read = fields.finish(); !read) return read.error();
    if (version != kVersion)
        return wrongField("suite: version " + std::to_string(version) + ": " + std::to_string(kVersion) +
                          " was needed");
    if (auto read = readAxes(*axes, result.plan); !read) return read.error();
    if (jobs->size() != result.plan.jobs.size())
        return wrongField("suite: " + std::to_string(jobs->size()) + " jobs, the " +
                          std::to_string(result.plan.jobs.size()) + " of its axes were needed");
    for (std::size_t i = 0; i < jobs->size(); ++i) {
        auto row = readJob((*jobs)[i], result.plan, i, folder);
        if (!row) return row.error();
        result.rows.push_back(*std::move(row));
    }
    if (auto read = readSums(*values, gate, against, notes, result); !read) return read.error();
    return result;
}

Result<SuiteResult> readSuite(const fs::path& file) {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    auto document = readJsonObject(file, kMostBytes, RepeatedKeys::Refused);
    if (!document) return document.error();
    auto suite = suiteFromJson(*document, fs::absolute(file).lexically_normal().parent_path());
    if (!suite) return suite.error().in(file.string());
    return suite;
}

fs::path sessionOf(const fs::path& clip) {
    return clip.parent_path().parent_path() / "session.json";
}

}  // namespace reelgrid::suite

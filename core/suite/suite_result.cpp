#include "core/suite/suite_result.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/suite/manifest_part.h"
#include "core/suite/pairs.h"

namespace reelgrid::suite {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kPrompt = "prompt";
constexpr std::size_t kWorst = 3;

std::string promptOf(const SuitePlan& plan, std::size_t job) {
    return plan.text(plan.jobs[job], kPrompt);
}

class Summing {
  public:
    Summing(const SuitePlan& plan, const std::vector<SuiteRow>& rows) : m_plan(plan), m_rows(rows) {}

    [[nodiscard]] ValueSummary of(std::size_t axis, std::size_t value) const {
        ValueSummary summary{m_plan.axes[axis].key, m_plan.axes[axis].values[value], {}, {}};
        for (const SuiteMeasure& measure : suiteMeasures()) {
            ByPrompt all;
            Pairs pairs;
            for (const SuiteRow& row : m_rows) {
                const SuiteJob& job = m_plan.jobs[row.job];
                const auto own = numberAt(row.measured, measure);
                if (job.at[axis] != value || !own) continue;
                all[promptOf(m_plan, row.job)].push_back(*own);
                if (value == 0) continue;
                const auto other = numberAt(m_rows[firstOf(job, axis)].measured, measure);
                if (other) pairs.add(promptOf(m_plan, row.job), *own, *other, measure.better);
            }
            MeasureSummary own{&measure, {}, {}, {}};
            const auto estimate = estimateOf(all);
            if (!estimate) continue;
            own.all = *estimate;
            pairs.into(own);
            summary.measures.push_back(own);
        }
        summary.worst = worstOf(axis, value);
        if (m_plan.axes[axis].key == kBackendAxis) summary.remark = remarkOfRows(axis, value);
        return summary;
    }

  private:
    /// The same job with the axis's first value.
    [[nodiscard]] std::size_t firstOf(const SuiteJob& job, std::size_t axis) const {
        std::size_t index = 0;
        for (std::size_t i = 0; i < m_plan.axes.size(); ++i)
            index = index * m_plan.axes[i].values.size() + (i == axis ? 0 : job.at[i]);
        return index;
    }
    [[nodiscard]] std::string remarkOfRows(std::size_t axis, std::size_t value) const {
        std::map<std::string, std::size_t> counts;
        std::size_t clips = 0;
        for (const SuiteRow& row : m_rows) {
            if (row.error || m_plan.jobs[row.job].at[axis] != value) continue;
            ++clips;
            if (!row.remark.empty()) ++counts[row.remark];
        }
        std::string text;
        for (const auto& [remark, count] : counts) {
            if (!text.empty()) text += "; ";
            if (count < clips) text += std::to_string(count) + " of " + std::to_string(clips) + " clips ";
            text += remark;
        }
        return text;
    }
    [[nodiscard]] std::vector<std::size_t> worstOf(std::size_t axis, std::size_t value) const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (m_plan.jobs[m_rows[i].job].at[axis] == value && m_rows[i].measured.contains("psnr"))
                found.push_back(i);
        std::ranges::stable_sort(found, {}, [&](std::size_t i) { return m_rows[i].measured.at("psnr"); });
        if (found.size() > kWorst) found.resize(kWorst);
        return found;
    }

    const SuitePlan& m_plan;
    const std::vector<SuiteRow>& m_rows;
};

std::vector<GateOutcome> outcomesOf(const SuitePlan& plan, const std::vector<SuiteRow>& rows,
                                    const Gate& gate) {
    std::vector<GateOutcome> outcomes;
    const auto isMeasured = [&](const SuiteRow& row) { return row.measured.contains(gate.key); };
    const bool isAnyMeasured = std::ranges::any_of(rows, isMeasured);
    for (const SuiteRow& row : rows) {
        const SuiteJob& job = plan.jobs[row.job];
        const std::string backend = plan.text(job, kBackendAxis);
        // A reference has nothing to be measured against. Another clip that wasn't measured hasn't met it.
        const bool isExempt = job.reference == row.job || !isAnyMeasured;
        if (!row.error && !isMeasured(row) && isExempt) continue;
        auto outcome = std::ranges::find(outcomes, backend, &GateOutcome::value);
        if (outcome == outcomes.end()) {
            outcomes.push_back({backend, 0, 0, false, {}});
            outcome = outcomes.end() - 1;
        }
        ++outcome->clips;
        outcome->met += !row.error && isMeasured(row) && gate.isMetBy(row.measured.at(gate.key));
    }
    for (GateOutcome& outcome : outcomes) outcome.passed = gate.isPassedBy(outcome.met, outcome.clips);
    return outcomes;
}

/// What is said of a backend, with what ran in its place where something did.
json remarked(json object, const std::string& remark) {
    if (!remark.empty()) object["remark"] = remark;
    return object;
}

json toJson(const Estimate& estimate) {
    json object = {{"mean", estimate.mean}, {"prompts", estimate.prompts}, {"clips", estimate.clips}};
    if (estimate.low) object["low"] = *estimate.low;
    if (estimate.high) object["high"] = *estimate.high;
    return object;
}

json toJson(const std::vector<MeasureSummary>& measures) {
    json object = json::object();
    for (const MeasureSummary& summary : measures) {
        json own = toJson(summary.all);
        if (summary.difference) own["difference"] = toJson(*summary.difference);
        if (summary.winRate) own["win_rate"] = *summary.winRate;
        object[summary.measure->key] = std::move(own);
    }
    return object;
}

/// What the manifests of all rows say alike; null without any.
json alikeInAll(const std::vector<SuiteRow>& rows) {
    json alike;
    for (const SuiteRow& row : rows)
        if (row.manifest) {
            const json own = comparedJson(*row.manifest);
            alike = alike.is_null() ? own : alikeIn(alike, own);
        }
    return alike;
}

}  // namespace

bool SuiteResult::passed() const {
    const auto failed = [](const SuiteRow& row) { return row.error.has_value(); };
    const auto missed = [](const GateOutcome& outcome) { return !outcome.passed; };
    if (std::ranges::any_of(rows, failed) || std::ranges::any_of(gates, missed)) return false;
    return !gate || !gates.empty();
}

std::string remarkOf(const std::vector<ValueSummary>& values, const std::string& backend) {
    for (const ValueSummary& value : values)
        if (value.axis == kBackendAxis && valueText(value.value) == backend) return value.remark;
    return {};
}

std::string withRemark(const std::string& name, const std::string& remark) {
    return remark.empty() ? name : name + " (" + remark + ")";
}

std::vector<std::string> whyLinesOf(const std::vector<SuiteRow>& rows) {
    std::vector<std::pair<std::string, std::size_t>> counts;
    for (const SuiteRow& row : rows)
        for (const std::string& line : row.why) {
            auto known = std::ranges::find(counts, line, &std::pair<std::string, std::size_t>::first);
            if (known == counts.end()) known = counts.emplace(counts.end(), line, 0);
            ++known->second;
        }
    constexpr std::size_t kMostLines = 10;  // more than a person reads
    std::ranges::stable_sort(counts, std::greater(), &std::pair<std::string, std::size_t>::second);
    std::vector<std::string> lines;
    for (const auto& [line, count] : counts) {
        if (lines.size() == kMostLines) {
            lines.push_back("and " + std::to_string(counts.size() - kMostLines) + " more such lines");
            break;
        }
        lines.push_back(std::to_string(count) + (count == 1 ? " clip: " : " clips: ") + line);
    }
    return lines;
}

SuiteResult sumUp(SuitePlan plan, std::vector<SuiteRow> rows, std::optional<Gate> gate) {
    SuiteResult result;
    const Summing summing(plan, rows);
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
        if (plan.axes[axis].key == kPrompt || plan.axes[axis].key == "seed") continue;
        for (std::size_t value = 0; value < plan.axes[axis].values.size(); ++value)
            result.values.push_back(summing.of(axis, value));
    }
    if (gate) result.gates = outcomesOf(plan, rows, *gate);
    for (GateOutcome& outcome : result.gates) outcome.remark = remarkOf(result.values, outcome.value);
    result.gate = std::move(gate);
    result.plan = std::move(plan);
    result.rows = std::move(rows);
    return result;
}

json toJson(const SuiteResult& result, const fs::path& folder) {
    json document = {
        {"version", 1}, {"axes", json::array()}, {"jobs", json::array()}, {"values", json::array()}};
    for (const Axis& axis : result.plan.axes)
        document["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
    const json alike = alikeInAll(result.rows);
    if (!alike.is_null()) document["manifest"] = alike;
    for (const SuiteRow& row : result.rows) {
        json job = {{"axes", result.plan.values(result.plan.jobs[row.job])},
                    {"clip", row.clip.lexically_relative(folder).generic_string()},
                    {"measures", row.measured}};
        if (row.error)
            job["error"] = row.error->message;
        else
            job["remark"] = row.remark;
        if (!row.why.empty()) job["why"] = row.why;
        if (row.manifest) job["manifest"] = besides(comparedJson(*row.manifest), alike);
        document["jobs"].push_back(std::move(job));
    }
    for (const ValueSummary& value : result.values) {
        document["values"].push_back(remarked({{"axis", value.axis},
                                               {"value", value.value},
                                               {"measures", toJson(value.measures)},
                                               {"worst", value.worst}},
                                              value.remark));
    }
    if (result.gate) {
        document["gate"] = {
            {"text", result.gate->text}, {"passed", result.passed()}, {"outcomes", json::array()}};
        for (const GateOutcome& outcome : result.gates) {
            document["gate"]["outcomes"].push_back(remarked({{"value", outcome.value},
                                                             {"met", outcome.met},
                                                             {"clips", outcome.clips},
                                                             {"passed", outcome.passed}},
                                                            outcome.remark));
        }
    }
    for (const SuiteResult::Against& against : result.against) {
        document["against"].push_back(remarked(
            {{"folder", against.folder}, {"value", against.value}, {"measures", toJson(against.measures)}},
            against.remark));
    }
    if (result.againstNotes) document["against_notes"] = toJson(*result.againstNotes);
    return document;
}

}  // namespace reelgrid::suite

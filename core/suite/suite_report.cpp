#include "core/suite/suite_report.h"

#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/comparison/html.h"

namespace reelgrid::suite {
namespace {

using comparison::escaped;
using nlohmann::json;

std::string withUnit(const std::string& number, const SuiteMeasure& measure) {
    return *measure.unit == '\0' ? number : number + " " + measure.unit;
}

/// "41.20 dB (39.91 to 42.60)"
std::string estimateText(const Estimate& estimate, const SuiteMeasure& measure, bool isDifference) {
    const auto signedText = [&](double value) {
        return (isDifference && value >= 0 ? "+" : "") + fixed(value, measure.decimals);
    };
    std::string text = withUnit(signedText(estimate.mean), measure);
    if (estimate.low && estimate.high)
        text += " (" + signedText(*estimate.low) + " to " + signedText(*estimate.high) + ")";
    return text;
}

std::string measureCells(const MeasureSummary& summary) {
    std::string cells = comparison::textCell(summary.measure->title) +
                        comparison::cell(estimateText(summary.all, *summary.measure, false));
    cells += comparison::cell(summary.difference ? estimateText(*summary.difference, *summary.measure, true)
                                                 : "–");
    cells += comparison::cell(summary.winRate ? fixed(100 * *summary.winRate, 0) + " %" : "–");
    return cells + comparison::cell(std::to_string(summary.all.clips));
}

/// `from`: what differences are from.
std::string headOf(const std::string& from) {
    return "<tr><th></th><th>measure</th><th>mean (95 % interval)</th><th>difference from " + from +
           " (95 % interval)</th><th>better in</th><th>clips</th></tr>";
}

std::string rowsOf(const std::string& name, const std::vector<MeasureSummary>& measures) {
    std::string rows;
    for (const MeasureSummary& summary : measures)
        rows += "<tr>" + comparison::textCell(&summary == &measures.front() ? name : "") +
                measureCells(summary) + "</tr>";
    return rows;
}

std::string axisTables(const SuiteResult& result) {
    std::string html, axis;
    for (const ValueSummary& value : result.values) {
        if (value.axis != axis) {
            if (!axis.empty()) html += "</table>";
            axis = value.axis;
            html += "<h2>" + escaped(axis) + "</h2><table>" + headOf("the first");
        }
        html += rowsOf(withRemark(valueText(value.value), value.remark), value.measures);
    }
    return axis.empty() ? html : html + "</table>";
}

std::string valuesText(const SuiteResult& result, const SuiteRow& row) {
    std::string text;
    const json values = result.plan.values(result.plan.jobs[row.job]);
    for (const auto& [key, value] : values.items())
        text += (text.empty() ? "" : " · ") + key + " " + valueText(value);
    return text;
}

std::string worstSection(const SuiteResult& result, const std::filesystem::path& folder) {
    std::string rows;
    for (const ValueSummary& value : result.values) {
        if (value.axis != "attention_type") continue;
        for (const std::size_t i : value.worst) {
            const SuiteRow& row = result.rows[i];
            rows += "<tr><td class=\"text\"><a href=\"" + comparison::link(row.clip, folder) + "\">" +
                    escaped(valuesText(result, row)) + "</a></td>" +
                    comparison::cell(fixed(row.measured.at("psnr"), 2) + " dB") + "</tr>";
        }
    }
    if (rows.empty()) return {};
    return "<h2>Worst clips</h2><table><tr><th>clip</th><th>PSNR</th></tr>" + rows + "</table>";
}

std::string gateLine(const Gate& gate, const GateOutcome& outcome) {
    return (outcome.value.empty() ? std::string() : withRemark(outcome.value, outcome.remark) + ": ") +
           std::to_string(outcome.met) + " of " + std::to_string(outcome.clips) + " clips meet " + gate.text +
           ": " + (outcome.passed ? "passed" : "failed");
}

std::string gateSection(const SuiteResult& result) {
    if (!result.gate) return {};
    std::string html = "<h2>Gate</h2>";
    if (const std::string line = unmeasuredGate(result); !line.empty())
        html += "<p class=\"failed\">" + escaped(line) + "</p>";
    for (const GateOutcome& outcome : result.gates)
        html += std::string("<p") + (outcome.passed ? "" : " class=\"failed\"") + ">" +
                escaped(gateLine(*result.gate, outcome)) + "</p>";
    return html;
}

std::string againstSection(const SuiteResult& result) {
    if (!result.againstNotes) return {};
    std::string html = "<h2>Against " + escaped(result.againstNotes->folder) + "</h2>";
    for (const std::string& line : linesOf(*result.againstNotes, result.plan))
        html += "<p class=\"note\">" + escaped(line) + "</p>";
    if (result.against.empty()) return html + "<p class=\"failed\">No clip could be compared.</p>";
    html += "<table>" + headOf("theirs");
    for (const SuiteResult::Against& against : result.against)
        html += rowsOf(withRemark(against.value, against.remark), against.measures);
    return html + "</table>";
}

std::string failures(const SuiteResult& result) {
    std::string html;
    for (const SuiteRow& row : result.rows)
        if (row.error)
            html += "<p class=\"failed\">" + escaped(valuesText(result, row) + ": " + row.error->message) +
                    "</p>";
    return html;
}

std::string whySection(const SuiteResult& result) {
    std::string html;
    for (const std::string& line : whyLinesOf(result.rows))
        html += "<p class=\"note\">" + escaped(line) + "</p>";
    return html.empty() ? html : "<h2>What ran</h2>" + html;
}

std::string measureLines(const std::vector<MeasureSummary>& measures, const std::string& from) {
    std::string text;
    for (const MeasureSummary& summary : measures) {
        text += "  " + std::string(summary.measure->title) + " " +
                estimateText(summary.all, *summary.measure, false);
        if (summary.difference)
            text += ", " + estimateText(*summary.difference, *summary.measure, true) + " from " + from;
        if (summary.winRate) text += ", better in " + fixed(100 * *summary.winRate, 0) + " %";
        text += "\n";
    }
    return text;
}

std::string againstText(const SuiteResult& result) {
    if (!result.againstNotes) return {};
    std::string text = "against " + result.againstNotes->folder + "\n";
    for (const std::string& line : linesOf(*result.againstNotes, result.plan)) text += "  " + line + "\n";
    for (const SuiteResult::Against& against : result.against)
        text += " " + (against.value.empty() ? "all clips" : withRemark(against.value, against.remark)) +
                "\n" + measureLines(against.measures, "theirs");
    return text;
}

}  // namespace

std::string unmeasuredGate(const SuiteResult& result) {
    if (!result.gate || !result.gates.empty()) return {};
    return result.gate->text + ": no clip was measured for it: failed";
}

std::string suiteHtml(const SuiteResult& result, const std::string& title,
                      const std::filesystem::path& folder) {
    const Axis* prompts = result.plan.axis("prompt");
    const std::string counts = std::to_string(result.rows.size()) + " clips of " +
                               std::to_string(prompts == nullptr ? 1 : prompts->values.size()) + " prompts";
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
           "</title><style>" + comparison::pageStyle() + "</style></head><body><h1>" + escaped(title) +
           "</h1><p>" + counts +
           ". A mean is that of the prompts' means; its interval is drawn by the bootstrap over prompts, and "
           "a "
           "difference is that of clips that agree in everything else.</p>" +
           failures(result) + gateSection(result) + whySection(result) + axisTables(result) +
           againstSection(result) + worstSection(result, folder) + "</body></html>";
}

std::string suiteText(const SuiteResult& result) {
    std::string text;
    for (const ValueSummary& value : result.values)
        text += value.axis + " " + withRemark(valueText(value.value), value.remark) + "\n" +
                measureLines(value.measures, "the first");
    text += againstText(result);
    for (const std::string& line : whyLinesOf(result.rows)) text += line + "\n";
    if (const std::string line = unmeasuredGate(result); !line.empty()) text += line + "\n";
    for (const GateOutcome& outcome : result.gates) text += gateLine(*result.gate, outcome) + "\n";
    return text;
}

}  // namespace reelgrid::suite

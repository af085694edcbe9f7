#include "core/comparison/report.h"

#include <vector>

#include "core/base/number_text.h"
#include "core/base/version.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/blind_section.h"
#include "core/comparison/coherence_section.h"
#include "core/comparison/html.h"
#include "core/comparison/lockstep_section.h"
#include "core/comparison/report_backends.h"
#include "core/comparison/report_clips.h"
#include "core/comparison/report_parts.h"
#include "core/comparison/report_tables.h"
#include "core/comparison/request_differences.h"
#include "core/comparison/svg_chart.h"
#include "core/metrics/measures.h"

namespace reelgrid::comparison {
namespace {

/// The rules in force, in words; nothing without a policy.
std::string policyList(const Report& report) {
    const auto& rules = report.settings.attentionPolicy.rules;
    if (rules.empty()) return {};
    std::string items;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const std::string idle = i < report.idleRules.size() ? report.idleRules[i] : "";
        items += "<li>" + escaped(describe(rules[i])) +
                 (idle.empty() ? "" : " (idle: " + escaped(idle) + ")") + "</li>";
    }
    return "<p>Attention policy, the first rule that fits a call decides:</p><ol>" + items +
           "</ol><p class=\"note\">What no rule covers ran with the clip's own backend in self-attention and "
           "with sdpa in cross-attention. Layers and steps count from 0, negative ones from the end.</p>";
}

std::string stageChart(const Report& report) {
    std::vector<Bar> bars;
    for (const Entry& entry : report.entries) {
        const result::Timing* timing = entry.result.timing();
        if (entry.error || timing == nullptr) continue;
        Bar bar{entry.caption.text(), {}};
        // Loading happens once for all of them, so it says nothing about one; nor does what was measured.
        for (const auto& [name, seconds] : timing->stages)
            if (result::kindOf(name) == result::StageKind::Render) bar.parts.emplace_back(name, seconds);
        bars.push_back(std::move(bar));
    }
    const std::string svg = stackedBars(bars, "s");
    return svg.empty() ? svg : "<h2>Stages</h2>" + svg;
}

std::string measureChart(const Report& report, const metrics::Measure& measure) {
    std::vector<Line> lines;
    const std::vector<Rgb> colors = colorsOf(report.entries);
    for (std::size_t i = 0; i < report.entries.size(); ++i) {
        const Entry& entry = report.entries[i];
        const metrics::Series* series = seriesOf(measure, entry.result.metrics);
        if (!entry.error && series != nullptr)
            lines.push_back({entry.caption.text(), series->perFrame, cssColor(colors[i])});
    }
    const std::string unit = measure.unit;
    const bool against = measure.needsReference();
    const std::string svg = lineChart(lines, measure.title + (unit.empty() ? "" : " (" + unit + ")") +
                                                 (against ? " against " + protocol::kReferenceBackend : ""));
    if (svg.empty()) return svg;
    return std::string("<h2>") + measure.chartHeading +
           (against ? " from " + protocol::kReferenceBackend : "") + "</h2>" + svg;
}

std::string charts(const Report& report) {
    std::string html = stageChart(report);
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (measure.chartHeading != nullptr) html += measureChart(report, measure);
    return html;
}

/// One number, or those of the first and the last frame.
std::string guidanceText(const catalog::RenderSettings& settings) {
    const std::string last = fixed(settings.guidanceScale, 1);
    return settings.minGuidanceScale ? fixed(*settings.minGuidanceScale, 1) + " to " + last : last;
}

std::string settingsLine(const std::string& model, const catalog::RenderSettings& settings) {
    return model + " · " + settings.task + " · " + std::to_string(settings.width) + "×" +
           std::to_string(settings.height) + " · " + std::to_string(settings.numFrames) + " frames at " +
           fixed(settings.fps, 0) + " fps · " + std::to_string(settings.numInferenceSteps) +
           " steps · guidance " + guidanceText(settings) + " · seed " + std::to_string(settings.seed) +
           " · " + settings.dtype + " on " + settings.device;
}

std::string pageTitle(const catalog::RenderSettings& settings) {
    const std::string subject = catalog::subjectOf(settings);
    return subject.empty() ? "Without a prompt" : subject;
}

/// What was rendered, and with what: once where it is the same for all clips, else for each.
std::string settingsPart(const Report& report, const std::vector<std::string>& differences) {
    if (differences.empty())
        return "<p>" + escaped(settingsLine(report.modelTitle, report.settings)) + "</p>";
    std::string html = "<p class=\"failed\">The clips are not of one request.</p><ul>";
    for (const Entry& entry : report.entries) {
        if (entry.error) continue;
        const auto& settings = entry.result.manifest.settings;
        html += "<li>" + escaped(entry.caption.text()) + ": " +
                (settings ? escaped("“" + catalog::subjectOf(*settings) + "” · " +
                                    settingsLine(entry.result.manifest.modelId, *settings))
                          : "no manifest says what was rendered") +
                "</li>";
    }
    return html + "</ul>";
}

}  // namespace

std::string reportHtml(const Report& report) {
    // Step caches and rounded layers are compared, too.
    const auto differences = requestDifferences(manifestsOf(report.entries), Beside::Shortcuts);
    const std::string subject = escaped(differences.empty() ? pageTitle(report.settings)
                                                            : "Clips that differ in " + listed(differences));
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + subject +
           "</title><style>" + pageStyle() + "</style></head><body><h1>" + subject + "</h1>" +
           settingsPart(report, differences) + policyList(report) + clipsSection(report) + timeTable(report) +
           partsTable(report) + qualityTable(report) + coherenceSection(report) + engineTable(report) +
           blindSection(report) + charts(report) + lockstepSection(report) + attributionTable(report) +
           backendDescriptions(report) + "<p class=\"note\">" + std::string(kReportMark) + " " + kVersion +
           ".</p></body></html>\n";
}

}  // namespace reelgrid::comparison

#include "app/cli/report_html.h"

#include <cctype>
#include <cmath>
#include <numeric>
#include <string_view>

#include "app/cli/console.h"
#include "app/cli/report_backends.h"
#include "app/cli/result_summary.h"
#include "app/cli/svg_chart.h"
#include "core/base/version.h"
#include "core/session/same_work.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .7rem;border-bottom:1px solid #ddd;"
    "text-align:right}th:first-child,td:first-child,.text{text-align:left}dt{font-weight:600;margin-top:."
    "7rem}"
    "th{border-bottom:2px solid #888}"
    "svg{width:100%;height:auto;font:12px system-ui,sans-serif}video{max-width:100%}"
    ".note{color:#555}.failed{color:#b00020}";

constexpr const char* kUnmeasured = "–";

std::string cell(const std::string& content, const char* kind = "td") {
    return std::string("<") + kind + ">" + escaped(content) + "</" + kind + ">";
}

std::string textCell(const std::string& content) {
    return "<td class=\"text\">" + escaped(content) + "</td>";
}

std::string number(const std::optional<double>& value, int decimals, const std::string& unit = "") {
    return value && std::isfinite(*value) ? fixed(*value, decimals) + unit : kUnmeasured;
}

std::optional<double> meanOf(const std::optional<session::FrameSeries>& series) {
    if (!series) return std::nullopt;
    return series->mean;
}

/// A path as a link beside the report: percent-encoded.
std::string link(const fs::path& file, const fs::path& folder) {
    std::string url;
    for (const char letter : file.lexically_relative(folder).generic_string()) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain =
            std::isalnum(byte) != 0 || std::string_view("-._~/").find(letter) != std::string_view::npos;
        constexpr const char* kDigits = "0123456789ABCDEF";
        if (plain)
            url += letter;
        else
            url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return url;
}

const session::RunTiming* timingOf(const ComparisonEntry& entry) {
    return entry.measured.runs.empty() ? nullptr : &entry.measured.runs.back();
}

std::optional<double> stepMean(const session::RunTiming* run) {
    if (run == nullptr || run->steps.empty()) return std::nullopt;
    return std::accumulate(run->steps.begin(), run->steps.end(), 0.0) / double(run->steps.size());
}

std::optional<double> stage(const session::RunTiming* run, const char* name) {
    return run == nullptr ? std::nullopt : run->stage(name);
}

/// A warning where the machine was not equally fast for all clips; nothing where it was.
std::string unevenness(const Comparison& comparison) {
    const auto work = sameWork(comparison);
    if (!work || !work->isUneven()) return {};
    return "<p class=\"failed\">Beware: " + escaped(unevenWorkLine(*work)) + ".</p>";
}

std::string timeTable(const Comparison& comparison) {
    std::optional<double> reference;
    for (const ComparisonEntry* entry : comparison.finished())
        if (entry->name() == "sdpa") reference = stage(timingOf(*entry), "denoise");
    std::string rows;
    for (const ComparisonEntry* entry : comparison.finished()) {
        const session::RunTiming* run = timingOf(*entry);
        const auto denoise = stage(run, "denoise");
        std::optional<double> speedup;
        if (reference && denoise && *denoise > 0) speedup = *reference / *denoise;
        rows += "<tr><td>" + backendLink(*entry) + "</td>" +
                cell(number(run ? run->pipeTime : std::nullopt, 2, " s")) + cell(number(denoise, 2, " s")) +
                cell(number(stepMean(run), 3, " s")) +
                cell(number(session::attentionSeconds(entry->measured, "self"), 2, " s")) +
                cell(number(session::secondsOutsideAttention(entry->measured), 2, " s")) +
                cell(number(stage(run, "decode"), 2, " s")) + cell(number(speedup, 2, "×")) + "</tr>";
    }
    return "<h2>Time</h2><table><tr><th>backend</th><th>pipe</th><th>denoise</th><th>mean "
           "step</th><th>self-attention</th><th>outside attention</th><th>decode</th><th>denoise, sdpa = "
           "1</th></tr>" +
           rows +
           "</table><p class=\"note\">Denoising outside attention is the same work for every backend, and so "
           "is "
           "decoding.</p>" +
           unevenness(comparison);
}

std::string qualityTable(const Comparison& comparison) {
    std::string rows;
    std::string remarks;
    for (const ComparisonEntry* entry : comparison.finished()) {
        const session::ClipMeasurements& measured = entry->measured;
        const auto& drift = measured.drift;
        rows += "<tr><td>" + backendLink(*entry) + "</td>" +
                cell(number(meanOf(measured.frameCorrelation), 4)) + cell(number(measured.flickering, 4)) +
                cell(number(drift ? meanOf(drift->psnr) : std::nullopt, 2, " dB") +
                     (drift && !drift->measuredOn.empty() ? " (" + drift->measuredOn + ")" : "")) +
                cell(number(drift ? meanOf(drift->ssim) : std::nullopt, 4)) + "</tr>";
        for (const std::string& remark : attentionRemarks(measured))
            remarks += "<p class=\"note\">" + escaped(entry->label() + ": " + remark) + ".</p>";
    }
    return "<h2>Picture</h2><table><tr><th>backend</th><th>frame correlation</th><th>flickering</th><th>PSNR "
           "against sdpa"
           "</th><th>SSIM against sdpa</th></tr>" +
           rows +
           "</table><p class=\"note\">PSNR and SSIM against the sdpa clip say how far the two trajectories "
           "went apart, not which clip looks better. fav2 and fav3 compute the same attention exactly: what "
           "they show is the noise floor, rounding alone.</p>" +
           remarks;
}

std::string attributionTable(const Comparison& comparison) {
    std::string rows;
    for (const ComparisonEntry* entry : comparison.finished())
        for (const session::AttentionUse& use : entry->measured.attention)
            rows += "<tr>" + cell(entry->name()) + textCell(use.module) + textCell(use.requested) +
                    textCell(use.used) + cell(std::to_string(use.calls)) +
                    cell(number(use.seconds, 2, " s")) + textCell(use.why) + "</tr>";
    return "<h2>Which backend "
           "ran</h2><table><tr><th>clip</th><th class=\"text\">module</th><th "
           "class=\"text\">requested</th><th "
           "class=\"text\">used</th><th>calls</th><th>time</th><th class=\"text\">why</th></tr>" +
           rows + "</table>";
}

/// The rules in force, in words; nothing without a policy.
std::string policyList(const CheckedRequest& checked) {
    const auto& rules = checked.settings.attentionPolicy.rules;
    if (rules.empty()) return {};
    std::string items;
    const std::vector<std::string> idle = idleRules(checked);
    for (std::size_t i = 0; i < rules.size(); ++i)
        items += "<li>" + escaped(describe(rules[i])) +
                 (idle[i].empty() ? "" : " (idle: " + escaped(idle[i]) + ")") + "</li>";
    return "<p>Attention policy, the first rule that fits a call decides:</p><ol>" + items +
           "</ol><p class=\"note\">What no rule covers ran with the clip's own backend in self-attention and "
           "with sdpa in cross-attention. Layers and steps count from 0, negative ones from the end.</p>";
}

std::string charts(const Comparison& comparison) {
    std::vector<Bar> bars;
    std::vector<Line> correlation;
    std::vector<Line> psnr;
    const auto finished = comparison.finished();
    for (std::size_t place = 0; place < finished.size(); ++place) {
        const ComparisonEntry* entry = finished[place];
        if (const session::RunTiming* run = timingOf(*entry)) {
            Bar bar{entry->label(), {}};
            // Loading happens once for all of them, so it says nothing about one.
            for (const auto& [name, seconds] : run->stages)
                if (name != "load") bar.parts.emplace_back(name, seconds);
            bars.push_back(std::move(bar));
        }
        const session::ClipMeasurements& measured = entry->measured;
        if (measured.frameCorrelation)
            correlation.push_back({entry->label(), measured.frameCorrelation->perFrame, place});
        if (measured.drift && measured.drift->psnr)
            psnr.push_back({entry->label(), measured.drift->psnr->perFrame, place});
    }
    std::string html;
    if (const std::string svg = stackedBars(bars, "s"); !svg.empty()) html += "<h2>Stages</h2>" + svg;
    if (const std::string svg = lineChart(correlation, "frame correlation"); !svg.empty())
        html += "<h2>Temporal coherence</h2>" + svg;
    if (const std::string svg = lineChart(psnr, "PSNR (dB) against sdpa"); !svg.empty())
        html += "<h2>Drift from sdpa</h2>" + svg;
    return html;
}

std::string settingsLine(const CheckedRequest& checked) {
    const catalog::RenderSettings& settings = checked.settings;
    return checked.model.title + " · " + settings.task + " · " + std::to_string(settings.width) + "×" +
           std::to_string(settings.height) + " · " + std::to_string(settings.numFrames) + " frames at " +
           fixed(settings.fps, 0) + " fps · " + std::to_string(settings.numInferenceSteps) +
           " steps · guidance " + fixed(settings.guidanceScale, 1) + " · seed " +
           std::to_string(settings.seed) + " · " + settings.dtype + " on " + settings.device;
}

std::string clipsAndFailures(const Comparison& comparison) {
    std::string html;
    if (!comparison.grid.empty())
        html +=
            "<video controls loop muted src=\"" + link(comparison.grid, comparison.folder) + "\"></video>";
    html += "<p>Clips: ";
    for (const ComparisonEntry* entry : comparison.finished())
        html +=
            "<a href=\"" + link(entry->clip(), comparison.folder) + "\">" + escaped(entry->label()) + "</a> ";
    html += "</p>";
    for (const ComparisonEntry& entry : comparison.entries)
        if (entry.error)
            html += "<p class=\"failed\">" + escaped(entry.type() + ": " + entry.error->message) + "</p>";
    return html;
}

}  // namespace

std::string reportHtml(const Comparison& comparison) {
    const CheckedRequest& checked = comparison.entries.front().checked;
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
           escaped(checked.settings.prompt) + "</title><style>" + kStyle + "</style></head><body><h1>" +
           escaped(checked.settings.prompt) + "</h1><p>" + escaped(settingsLine(checked)) + "</p>" +
           policyList(checked) + clipsAndFailures(comparison) + timeTable(comparison) +
           qualityTable(comparison) + charts(comparison) + attributionTable(comparison) +
           backendDescriptions(comparison) + "<p class=\"note\">Written by ReelGrid " + kVersion +
           ".</p></body></html>\n";
}

}  // namespace reelgrid::cli

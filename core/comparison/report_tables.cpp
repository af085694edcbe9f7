#include "core/comparison/report_tables.h"

#include <map>
#include <numeric>

#include "core/base/number_text.h"
#include "core/comparison/html.h"
#include "core/comparison/report_backends.h"
#include "core/comparison/request_differences.h"
#include "core/comparison/same_work.h"
#include "core/comparison/summary.h"
#include "core/comparison/warm_up_line.h"
#include "core/metrics/measures.h"
#include "core/result/warm_up.h"

namespace reelgrid::comparison {
namespace {

using metrics::kMeasures;
using metrics::Measure;

std::optional<double> stepMean(const result::Timing& timing) {
    if (timing.steps.empty()) return std::nullopt;
    return std::accumulate(timing.steps.begin(), timing.steps.end(), 0.0) / double(timing.steps.size());
}

/// A warning where the machine was not equally fast for all clips; nothing where it was.
std::string unevenness(const Report& report) {
    if (const std::string machines = machinesLine(report.entries); !machines.empty())
        return "<p class=\"failed\">Beware: " + escaped(machines) + ".</p>";
    const auto work = sameWorkOf(report.entries);
    if (!work || !work->isUneven()) return {};
    return "<p class=\"failed\">Beware: " + escaped(unevenWorkLine(*work)) + ".</p>";
}

std::string sameWorkNote(const Report& report) {
    const auto other = requestDifferences(manifestsOf(report.entries), Beside::Picture);
    if (other.empty())
        return "Denoising outside attention is the same work for every backend, and so is decoding.";
    return "The clips are not of the same work (" + escaped(listed(other)) +
           "): their times don't tell backends apart.";
}

/// Nothing where no first step took long.
std::string warmUpNote(const Report& report) {
    const std::string line = warmUpLine(report.entries);
    return line.empty() ? "" : "<p class=\"note\">Note: " + escaped(line) + ".</p>";
}

/// `reference`: null where there is none.
std::optional<double> denoiseRatio(const result::Timing* reference, const result::Timing* own) {
    if (reference == nullptr || own == nullptr) return std::nullopt;
    return result::denoiseRatio(*reference, *own);
}

const result::Timing* timingOf(const Entry* entry) {
    return entry == nullptr ? nullptr : entry->result.timing();
}

/// The ratio of denoising, and in what the work differs that it is of; "–" where nothing was measured.
std::string ratioCell(const Entry* reference, const Entry& entry) {
    const auto ratio = denoiseRatio(timingOf(reference), entry.result.timing());
    if (!ratio) return cell(number(ratio, 2, "×"));
    const auto other = workDifferences(reference->result.manifest, entry.result.manifest);
    return cell(number(ratio, 2, "×") + (other.empty() ? "" : " (differs: " + listed(other) + ")"));
}

std::string timeRow(const Entry& entry, const Entry* reference) {
    const result::Timing none;
    const result::Timing& timing = entry.result.timings.empty() ? none : *entry.result.timing();
    return "<tr><td>" + backendLink(entry) + "</td>" + cell(number(timing.pipeTime, 2, " s")) +
           cell(number(timing.secondsPerFrame(), 2, " s")) + cell(number(timing.framesPerSecond(), 2, "")) +
           cell(number(timing.stage("denoise"), 2, " s")) + cell(number(stepMean(timing), 3, " s")) +
           cell(number(attentionSeconds(entry.result, protocol::ModuleKind::Self), 2, " s")) +
           cell(number(secondsOutsideAttention(entry.result), 2, " s")) +
           cell(number(timing.stage("decode"), 2, " s")) + ratioCell(reference, entry) + "</tr>";
}

std::string titleOf(const Measure& measure) {
    const std::string title = measure.title;
    return measure.needsReference() ? title + " against " + protocol::kReferenceBackend : title;
}

std::string qualityCell(const Measure& measure, const metrics::ClipMetrics& metrics) {
    const std::string unit = measure.unit;
    const std::string value =
        number(numberOf(measure, metrics), measure.decimals, unit.empty() ? "" : " " + unit);
    // Said once a row, where the drift begins.
    const bool begins = measure.ofDrift == &metrics::Drift::psnr;
    const bool elsewhere = begins && metrics.drift && !metrics.drift->measuredOn.empty();
    return cell(value + (elsewhere ? " (" + metrics.drift->measuredOn + ")" : ""));
}

/// With which weights and programs what was asked for was measured; clips that say the same say it once.
std::string measuredWithNote(const Report& report) {
    std::string html;
    for (const Measure& measure : kMeasures) {
        std::map<std::string, std::string> clips;
        for (const Entry& entry : report.entries) {
            const auto& with = entry.result.metrics.measuredWith;
            if (const auto found = with.find(measure.key); !entry.error && found != with.end()) {
                std::string& names = clips[found->second];
                names += (names.empty() ? "" : ", ") + entry.caption.text();
            }
        }
        for (const auto& [with, names] : clips)
            html += "<p class=\"note\">" + std::string(measure.title) +
                    (clips.size() > 1 ? " of " + escaped(names) : "") + ": measured with " + escaped(with) +
                    ".</p>";
    }
    return html;
}

}  // namespace

std::string timeTable(const Report& report) {
    const Entry* reference = referenceOf(report.entries);
    std::string rows;
    for (const Entry& entry : report.entries)
        if (!entry.error) rows += timeRow(entry, reference);
    return "<h2>Time</h2><table><tr><th>backend</th><th>pipe</th><th>a "
           "frame</th><th>frames/s</th><th>denoise</th><th>mean "
           "step</th><th>self-attention</th><th>outside attention</th><th>decode</th><th>denoise, " +
           protocol::kReferenceBackend + " = 1</th></tr>" + rows + "</table><p class=\"note\">" +
           sameWorkNote(report) + "</p>" + unevenness(report) + warmUpNote(report);
}

std::string qualityTable(const Report& report) {
    std::vector<const Measure*> columns;
    for (const Measure& measure : kMeasures)
        if (isShown(measure, report.entries,
                    [](const Entry& entry) -> const metrics::ClipMetrics& { return entry.result.metrics; }))
            columns.push_back(&measure);
    std::string heads;
    for (const Measure* measure : columns) heads += "<th>" + titleOf(*measure) + "</th>";
    std::string rows;
    std::string remarks;
    for (const Entry& entry : report.entries) {
        if (entry.error) continue;
        rows += "<tr><td>" + backendLink(entry) + "</td>";
        for (const Measure* measure : columns) rows += qualityCell(*measure, entry.result.metrics);
        rows += "</tr>";
        for (const std::string& remark : attentionRemarks(entry.result.manifest))
            remarks += "<p class=\"note\">" + escaped(entry.caption.text() + ": " + remark) + ".</p>";
    }
    return "<h2>Picture</h2><table><tr><th>backend</th>" + heads + "</tr>" + rows +
           "</table><p class=\"note\">PSNR and SSIM against the " + protocol::kReferenceBackend +
           " clip say how far the two trajectories went apart, not which clip looks better. fav2 and fav3 "
           "compute the same attention exactly: what they show is the noise floor, rounding alone.</p>" +
           measuredWithNote(report) + remarks;
}

std::string engineTable(const Report& report) {
    std::string rows;
    const Entry* reference = referenceOf(report.entries);
    for (const Entry& entry : report.entries) {
        const result::Manifest& manifest = entry.result.manifest;
        if (entry.error || manifest.engine.empty()) continue;
        std::string versions;
        for (const auto& [name, version] : manifest.versions)
            versions += (versions.empty() ? "" : ", ") + name + " " + version;
        const auto& drift = entry.result.metrics.drift;
        std::string apart = "–";
        std::optional<double> psnr;
        if (drift && drift->latentError) apart = significant(100 * *drift->latentError, 3) + " %";
        if (drift && drift->psnr) psnr = drift->psnr->mean;
        const result::Timing* timing = entry.result.timing();
        const auto denoise = timing == nullptr ? std::nullopt : timing->stage("denoise");
        rows += "<tr>" + textCell(entry.caption.text()) + textCell(versions) + cell(apart) +
                cell(number(psnr, 2, " dB")) + cell(number(denoise, 2, " s")) + ratioCell(reference, entry) +
                "</tr>";
    }
    if (rows.empty()) return {};
    return "<h2>Other engines</h2><table><tr><th class=\"text\">engine</th><th class=\"text\">versions</th>"
           "<th>latents apart</th><th>PSNR</th><th>denoise</th><th>denoise, " +
           protocol::kReferenceBackend + " = 1</th></tr>" + rows +
           "</table><p class=\"note\">The same model, prompt, steps and sampler from the same noise. Latents "
           "apart: the mean difference of the final latents from the " +
           protocol::kReferenceBackend + " clip's, in percent of their mean size.</p>";
}

std::string attributionTable(const Report& report) {
    std::string rows;
    for (const Entry& entry : report.entries) {
        if (entry.error) continue;
        for (const protocol::CallRecord& call : entry.result.manifest.attention)
            rows += "<tr>" + cell(entry.caption.name) + textCell(protocol::nameOf(call.kind)) +
                    textCell(call.requested) + textCell(call.used) + cell(std::to_string(call.calls)) +
                    cell(number(call.seconds, 2, " s")) + textCell(call.why) + "</tr>";
    }
    return "<h2>Which backend ran</h2><table><tr><th>clip</th><th class=\"text\">module</th><th "
           "class=\"text\">requested</th><th class=\"text\">used</th><th>calls</th><th>time</th><th "
           "class=\"text\">why</th></tr>" +
           rows + "</table>";
}

}  // namespace reelgrid::comparison

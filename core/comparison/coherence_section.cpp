#include "core/comparison/coherence_section.h"

#include "core/base/number_text.h"
#include "core/comparison/html.h"
#include "core/comparison/report_backends.h"
#include "core/metrics/coherence_figures.h"

namespace reelgrid::comparison {

namespace {

using metrics::ClipMetrics;

std::string metCell(double value, double least) {
    return cell(value > least ? "yes" : "no");
}

std::string coherenceRow(const Entry& entry, metrics::Coherence verdict) {
    const ClipMetrics& measured = entry.result.metrics;
    const double correlation = measured.frameCorrelation->mean;
    return "<tr><td>" + backendLink(entry) + "</td>" + textCell(metrics::nameOf(verdict)) +
           cell(number(correlation, 2)) + metCell(correlation, metrics::kLeastOfRun) +
           metCell(correlation, metrics::kLeastOfModule) + cell(number(measured.latentCorrelation, 2)) +
           cell(number(measured.independentCorrelation, 2)) + cell(number(measured.gates->motion, 2)) +
           cell(number(measured.change->repeated, 2)) + cell(number(explainedByFlow(measured), 2)) + "</tr>";
}

}  // namespace

std::string coherenceSection(const Report& report) {
    std::string rows;
    for (const Entry& entry : report.entries)
        if (const auto verdict = coherenceOf(entry.result.metrics); verdict && !entry.error)
            rows += coherenceRow(entry, *verdict);
    if (rows.empty()) return {};
    const auto figure = [](double value) { return fixed(value, 2); };
    return "<h2>Coherence</h2><table><tr><th>backend</th><th class=\"text\">verdict</th><th>frame "
           "correlation</th><th>a run: &gt; " +
           figure(metrics::kLeastOfRun) + "</th><th>a temporal module: &gt; " +
           figure(metrics::kLeastOfModule) +
           "</th><th>of latents</th><th>of frames made apart</th><th>motion: ≥ " +
           figure(metrics::kLeastMotion) + " codes</th><th>changes repeat: ≤ " +
           figure(metrics::kMostRepeated) + "</th><th>flow explains: ≥ " + figure(metrics::kLeastExplained) +
           "</th></tr>" + rows +
           "</table><p class=\"note\">Frozen and cross-faded clips correlate as well as moving ones: "
           "coherent "
           "is a clip whose frames correlate, that moves, and whose changes either don’t repeat or are "
           "explained by flow.</p>";
}

}  // namespace reelgrid::comparison

#include "core/comparison/lockstep_section.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/number_text.h"
#include "core/comparison/heat_map.h"
#include "core/comparison/html.h"
#include "core/metrics/lockstep_map.h"

namespace reelgrid::comparison {
namespace {

using metrics::LockstepBackend;
using metrics::LockstepMap;
using metrics::OutputErrors;

/// What a map's colours stand for: errors all, so that dark is bad everywhere.
struct Shown {
    const char* heading;
    double (*of)(const OutputErrors& errors, std::size_t index);
};
constexpr Shown kShown[] = {
    {"relative L1", [](const OutputErrors& errors, std::size_t i) { return errors.relativeL1[i]; }},
    {"1 − cosine", [](const OutputErrors& errors, std::size_t i) { return 1 - errors.cosine[i]; }},
    {"RMSE", [](const OutputErrors& errors, std::size_t i) { return errors.rmse[i]; }},
};

std::string digits(double value, int count) {
    return std::isfinite(value) ? significant(value, count) : number(std::nullopt, 0);
}

std::vector<double> shownOf(const Shown& shown, const OutputErrors& errors) {
    std::vector<double> values;
    for (std::size_t i = 0; i < errors.cosine.size(); ++i) values.push_back(shown.of(errors, i));
    return values;
}

double totalOf(const std::vector<double>& values) {
    double sum = values.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
    for (const double value : values) sum += value;
    return sum;
}

std::string wordsOf(const OutputErrors& errors, std::size_t index, const std::string& why) {
    if (!std::isfinite(errors.cosine[index])) return "did not run" + (why.empty() ? "" : ": " + why);
    return "relative L1 " + digits(errors.relativeL1[index], 3) + ", cosine " +
           digits(errors.cosine[index], 7) + ", RMSE " + digits(errors.rmse[index], 3);
}

std::string titleOf(const LockstepMap& map, const LockstepBackend& backend, int step, int layer) {
    const std::string where = "step " + std::to_string(step);
    if (layer < 0)
        return backend.name + ", " + where +
               ", whole pass: " + wordsOf(backend.flow, std::size_t(step), backend.why);
    return backend.name + ", layer " + std::to_string(layer) + ", " + where + ": " +
           wordsOf(backend.attention, map.site(layer, step), backend.why);
}

/// Where the backend is worst: "0.0312 (layer 3, step 0)".
std::string worstSite(const LockstepMap& map, const LockstepBackend& backend) {
    const auto& values = backend.attention.relativeL1;
    std::size_t worst = values.size();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i]) && (worst == values.size() || values[i] > values[worst])) worst = i;
    if (worst == values.size()) return number(std::nullopt, 0);
    const auto layers = std::size_t(map.layers);
    return digits(values[worst], 3) + " (layer " + std::to_string(worst % layers) + ", step " +
           std::to_string(worst / layers) + ")";
}

std::string summary(const LockstepMap& map) {
    std::string rows;
    for (const LockstepBackend& backend : map.backends) {
        rows += "<tr>" + cell(backend.name) +
                cell(digits(metrics::meanOfFinite(backend.attention.relativeL1), 3)) +
                cell(worstSite(map, backend)) +
                cell(digits(metrics::meanOfFinite(backend.attention.cosine), 7)) +
                cell(digits(metrics::meanOfFinite(backend.attention.rmse), 3)) +
                cell(digits(metrics::meanOfFinite(backend.flow.relativeL1), 3)) +
                cell(digits(metrics::meanOfFinite(backend.flow.cosine), 7)) +
                cell(number(totalOf(backend.seconds), 2, " s")) + "</tr>";
    }
    return "<table><tr><th>backend</th><th>relative L1, mean</th><th>worst</th><th>cosine, "
           "mean</th><th>RMSE, "
           "mean</th><th>whole pass, relative L1</th><th>whole pass, cosine</th><th>time of the "
           "calls</th></tr>" +
           rows + "</table>" +
           (map.seconds.empty() ? ""
                                : "<p class=\"note\">The same calls took " + escaped(map.reference) + " " +
                                      number(totalOf(map.seconds), 2, " s") + ".</p>");
}

std::string maps(const LockstepMap& map, const Shown& shown) {
    std::vector<std::vector<double>> sites, flows;
    for (const LockstepBackend& backend : map.backends) {
        sites.push_back(shownOf(shown, backend.attention));
        flows.push_back(shownOf(shown, backend.flow));
    }
    std::vector<const std::vector<double>*> all;
    for (const auto& list : sites) all.push_back(&list);
    for (const auto& list : flows) all.push_back(&list);
    const LogScale scale = LogScale::over(all);
    if (scale.high <= 0) return "<p class=\"note\">No error was found.</p>";
    std::string html = scaleLegend(scale, std::string(shown.heading) + ", one scale for all backends");
    for (std::size_t i = 0; i < map.backends.size(); ++i) {
        const LockstepBackend& backend = map.backends[i];
        html += "<h4>" + escaped(backend.name) + "</h4>" +
                heatMap({.layers = map.layers,
                         .steps = map.steps,
                         .sites = sites[i],
                         .whole = flows[i],
                         .wholeName = "whole pass",
                         .title = [&](int step, int layer) { return titleOf(map, backend, step, layer); }},
                        scale);
    }
    return html;
}

std::string sectionOf(const LockstepMap& map) {
    std::string html = "<h2>Error in lockstep</h2><p class=\"note\">At every step each backend got what " +
                       escaped(map.reference) +
                       " got: the errors of single calls (both guidance branches together) and, in the row "
                       "above them, of the "
                       "step's whole prediction, apart from what accumulates over the steps.</p>" +
                       summary(map);
    bool first = true;
    for (const Shown& shown : kShown) {
        html += std::string("<details") + (first ? " open" : "") + "><summary>" + shown.heading +
                "</summary>" + maps(map, shown) + "</details>";
        first = false;
    }
    return html;
}

}  // namespace

std::string lockstepSection(const Report& report) {
    std::string html;
    for (const Entry& entry : report.entries)
        if (!entry.error && entry.result.metrics.lockstep) html += sectionOf(*entry.result.metrics.lockstep);
    return html;
}

}  // namespace reelgrid::comparison

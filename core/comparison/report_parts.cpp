#include "core/comparison/report_parts.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/comparison/html.h"
#include "core/comparison/report_backends.h"

namespace reelgrid::comparison {
namespace {

/// The order of the columns; others come after, as they are named.
const std::vector<std::string> kOrder{"self_attention", "cross_attention", "projections", "feed_forward",
                                      "norms",          "communication",   "other"};

/// The mean of each part over the steps that were measured.
std::map<std::string, double> meanParts(const Entry& entry) {
    std::map<std::string, double> means;
    const result::Timing* timing = entry.result.timing();
    if (entry.error || timing == nullptr) return means;
    const auto measured =
        std::ranges::count_if(timing->stepParts, [](const auto& parts) { return !parts.empty(); });
    for (const result::StepParts& parts : timing->stepParts)
        for (const auto& [name, seconds] : parts) means[name] += seconds / static_cast<double>(measured);
    return means;
}

std::string titleOf(std::string part) {
    std::ranges::replace(part, '_', ' ');
    return part;
}

}  // namespace

std::string partsTable(const Report& report) {
    std::vector<std::string> columns;
    for (const Entry& entry : report.entries)
        for (const auto& [name, mean] : meanParts(entry))
            if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    if (columns.empty()) return {};
    std::ranges::stable_sort(columns, {}, [](const std::string& name) {
        return std::ranges::find(kOrder, name) - kOrder.begin();
    });

    std::string html = "<h2>A step by part</h2><table><tr><th>backend</th>";
    for (const std::string& column : columns) html += "<th>" + escaped(titleOf(column)) + "</th>";
    html += "</tr>";
    for (const Entry& entry : report.entries) {
        const auto means = meanParts(entry);
        if (means.empty()) continue;
        html += "<tr><td>" + backendLink(entry) + "</td>";
        for (const std::string& column : columns) {
            const auto mean = means.find(column);
            html += cell(
                number(mean == means.end() ? std::nullopt : std::optional(mean->second * 1e3), 1, " ms"));
        }
        html += "</tr>";
    }
    return html +
           "</table><p class=\"note\">Means of the steps that were measured. Attention is the calls alone, "
           "which a "
           "backend serves; the products before and after them are projections.</p>";
}

}  // namespace reelgrid::comparison

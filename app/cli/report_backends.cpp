#include "app/cli/report_backends.h"

#include "app/cli/svg_chart.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::cli {

std::string backendDescriptions(const Comparison& comparison) {
    std::string html;
    for (const ComparisonEntry& entry : comparison.entries) {
        const kernels::BackendInfo* backend = kernels::findBackend(entry.type());
        if (backend == nullptr) continue;  // "default": the table above says what ran
        html += "<dt id=\"backend-" + escaped(entry.type()) + "\">" + escaped(entry.type()) + "</dt><dd>" +
                escaped(std::string(backend->title)) + ". " + escaped(std::string(backend->description));
        if (!backend->cpu.deviation.empty())
            html += "<br><b>On the CPU:</b> " + escaped(std::string(backend->cpu.deviation));
        html += "</dd>";
    }
    if (html.empty()) return {};
    return "<h2>What each backend computes</h2><p class=\"note\">Only the transformer's attention changes "
           "from clip to clip; the text encoder and the VAE are the same.</p><dl>" +
           html + "</dl>";
}

std::string backendLink(const ComparisonEntry& entry) {
    if (kernels::findBackend(entry.type()) == nullptr) return escaped(entry.label());
    return "<a href=\"#backend-" + escaped(entry.type()) + "\">" + escaped(entry.label()) + "</a>";
}

}  // namespace reelgrid::cli

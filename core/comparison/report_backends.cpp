#include "core/comparison/report_backends.h"

#include <set>

#include "core/comparison/html.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::comparison {

std::string backendDescriptions(const Report& report) {
    std::string html;
    std::set<std::string> described;
    for (const Entry& entry : report.entries) {
        const std::string& name = entry.caption.backend;
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        if (backend == nullptr) continue;  // "default": the table above says what ran
        if (!described.insert(name).second) continue;
        html += "<dt id=\"backend-" + escaped(name) + "\">" + escaped(name) + "</dt><dd>" +
                escaped(std::string(backend->title)) + ". " + escaped(std::string(backend->description));
        if (!backend->cpuDeviation.empty())
            html += "<br><b>On the CPU:</b> " + escaped(std::string(backend->cpuDeviation));
        html += "</dd>";
    }
    if (html.empty()) return {};
    return "<h2>What each backend computes</h2><p class=\"note\">Only the transformer's attention changes "
           "from clip to clip; the text encoder and the VAE are the same.</p><dl>" +
           html + "</dl>";
}

std::string backendLink(const Entry& entry) {
    const std::string label = escaped(entry.caption.text());
    if (kernels::findBackend(entry.caption.backend) == nullptr) return label;
    return "<a href=\"#backend-" + escaped(entry.caption.backend) + "\">" + label + "</a>";
}

}  // namespace reelgrid::comparison

#include "core/comparison/report_backends.h"

#include <set>

#include "core/comparison/html.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::comparison {

std::string backendDescriptions(const Report& report) {
    std::string html;
    std::set<std::string> described;
    for (const Entry& entry : report.entries) {
        const std::string& name = entry.caption.backend;
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        const result::PluginRecord* plugin = entry.result.manifest.pluginOf(name);
        if (backend == nullptr && plugin == nullptr) continue;  // "default": the table above says what ran
        if (!described.insert(name).second) continue;
        html += "<dt id=\"backend-" + escaped(name) + "\">" + escaped(name) + "</dt><dd>";
        // What is known of a plug-in of that name now may not be what rendered then.
        if (backend != nullptr && (plugin == nullptr) == (backend->plugin == nullptr)) {
            html += escaped(std::string(backend->title)) + ". " + escaped(std::string(backend->description));
            if (!backend->cpu.deviation.empty())
                html += "<br><b>On the CPU:</b> " + escaped(std::string(backend->cpu.deviation));
        }
        if (plugin != nullptr)
            html += "<br><b>Plug-in, not part of ReelGrid:</b> " + escaped(plugin->file) +
                    (plugin->version.empty() ? "" : ", version " + escaped(plugin->version)) + ", SHA-256 " +
                    escaped(plugin->sha256) +
                    (plugin->runtime.empty() ? "" : ", run by " + escaped(plugin->runtime));
        html += "</dd>";
    }
    if (html.empty()) return {};
    return "<h2>What each backend computes</h2><p class=\"note\">Only the transformer's attention changes "
           "from clip to clip; the text encoder and the VAE are the same.</p><dl>" +
           html + "</dl>";
}

std::string backendLink(const Entry& entry) {
    const std::string label = escaped(entry.caption.text());
    if (kernels::findBackend(entry.caption.backend) == nullptr &&
        entry.result.manifest.pluginOf(entry.caption.backend) == nullptr)
        return label;
    return "<a href=\"#backend-" + escaped(entry.caption.backend) + "\">" + label + "</a>";
}

}  // namespace reelgrid::comparison

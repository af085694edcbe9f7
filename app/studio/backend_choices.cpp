#include "app/studio/backend_choices.h"

#include <algorithm>
#include <array>

#include "core/devices/gpu_choice.h"
#include "core/machine/option_text.h"
#include "core/protocol/attention_name.h"
#include "kernels/attention/problem.h"
#include "kernels/backends/backend_list.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::studio {

namespace {

// The baseline, an exact kernel as the noise floor, and the quantised one that is deployed most: three
// renders that tell something in a minute. The others are a click away.
constexpr std::array<std::string_view, 3> kCheckedAtFirst{"sdpa", "fav2", "sagev1"};

using widgets::text;

}  // namespace

std::vector<widgets::BackendChoice> backendChoices(const machine::Machine& machine) {
    std::vector<widgets::BackendChoice> choices;
    const bool hasGpu = devices::usableDevices(machine.gpus).size() > 1;
    for (const machine::Backend& backend : machine.backends) {
        if (!backend.onCpu && !(hasGpu && backend.onCuda)) continue;
        QString description = text(backend.title) + ".\n" + text(backend.description);
        if (!backend.cpuDeviation.empty())
            description += "\n" + QObject::tr("On the CPU: ") + text(backend.cpuDeviation);
        QString title = text(backend.name);
        if (const kernels::PluginDescription* plugin = machine.pluginOf(backend.name)) {
            title = QObject::tr("%1 (plug-in)").arg(title);
            description +=
                "\n" + QObject::tr("Plug-in, not part of ReelGrid: ") + text(plugin->file) +
                (plugin->version.empty() ? QString() : QObject::tr(", version ") + text(plugin->version));
        }
        const bool checked = std::ranges::find(kCheckedAtFirst, backend.name) != kCheckedAtFirst.end();
        choices.push_back({text(backend.name), title, description, checked});
    }
    return choices;
}

std::vector<widgets::SparseBackend> sparseBackends(const machine::Machine& machine) {
    std::vector<widgets::SparseBackend> found;
    for (const machine::Backend& backend : machine.backends) {
        const kernels::BackendInfo* known = kernels::findBackend(backend.name);
        if (known == nullptr || !known->hasBlockMap()) continue;
        widgets::SparseBackend& one = found.emplace_back();
        one.name = text(backend.name);
        one.description = text(backend.title);
        for (const kernels::BackendOption& option : backend.options)
            one.options.push_back(
                {text(option.key), text(option.value), text(machine::textOf(backend, option)), {}});
        if (protocol::isSparse(backend.name))
            one.options.push_back({"topk", QString::number(kernels::SparseLinear{}.topkRatio),
                                   QObject::tr("Share of the key blocks that each block of queries keeps"),
                                   "--sla-topk"});
    }
    return found;
}

}  // namespace reelgrid::studio

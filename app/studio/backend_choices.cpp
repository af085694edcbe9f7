#include "app/studio/backend_choices.h"

#include <algorithm>
#include <array>

#include "core/devices/gpu_choice.h"
#include "kernels/backends/backend_list.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::studio {

namespace {

// The baseline, an exact kernel as the noise floor, and the quantised one that is deployed most: three
// renders that tell something in a minute. The others are a click away.
constexpr std::array<std::string_view, 3> kCheckedAtFirst{"sdpa", "fav2", "sagev1"};

using widgets::text;

}  // namespace

std::vector<widgets::BackendChoice> backendChoices() {
    std::vector<widgets::BackendChoice> choices;
    const bool hasGpu = devices::usableDevices().size() > 1;
    for (const kernels::BackendInfo& backend : kernels::backends()) {
        if (!backend.runsOn(kernels::Device::Cpu) && !(hasGpu && backend.runsOn(kernels::Device::Cuda)))
            continue;
        QString description = text(backend.title) + ".\n" + text(backend.description);
        if (!backend.cpu.deviation.empty())
            description += "\n" + QObject::tr("On the CPU: ") + text(backend.cpu.deviation);
        QString title = text(backend.name);
        if (backend.plugin != nullptr) {
            const kernels::PluginDescription& said = backend.plugin->description;
            title = QObject::tr("%1 (plug-in)").arg(title);
            description +=
                "\n" + QObject::tr("Plug-in, not part of ReelGrid: ") + text(said.file) +
                (said.version.empty() ? QString() : QObject::tr(", version ") + text(said.version));
        }
        const bool checked = std::ranges::find(kCheckedAtFirst, backend.name) != kCheckedAtFirst.end();
        choices.push_back({text(backend.name), title, description, checked});
    }
    return choices;
}

}  // namespace reelgrid::studio

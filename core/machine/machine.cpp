#include "core/machine/machine.h"

#include <algorithm>

#include "core/protocol/attention_call.h"
#include "kernels/backends/backend_list.h"
#include "kernels/backends/option_bounds.h"

namespace reelgrid::machine {

const Backend* Machine::findBackend(std::string_view name) const {
    const auto found = std::ranges::find(backends, name, &Backend::name);
    return found == backends.end() ? nullptr : &*found;
}

const kernels::PluginDescription* Machine::pluginOf(std::string_view backend) const {
    const auto found = std::ranges::find(plugins, backend, &kernels::PluginDescription::name);
    return found == plugins.end() ? nullptr : &*found;
}

std::optional<std::string> Machine::whyNot(const protocol::BackendOptionChoice& choice) const {
    const Backend* backend = findBackend(choice.backend);
    if (backend == nullptr) return "backend " + choice.backend + ": one of " + backendNames() + " was needed";
    const auto why = kernels::whyNotSetting(choice.backend, backend->options, choice.key, choice.value);
    return why ? std::optional(choice.backend + *why) : std::nullopt;
}

std::optional<std::string> Machine::whyNot(const protocol::BackendOptionChoice& choice, int layers) const {
    if (auto why = whyNot(choice)) return why;
    const auto asked = kernels::layersOfKey(choice.key);
    if (!asked || asked->last < layers) return std::nullopt;
    return choice.backend + "." + choice.key + ": 0 to " + std::to_string(layers - 1) + " (there are " +
           std::to_string(layers) + (layers == 1 ? " layer" : " layers") + ") was needed behind the @";
}

std::string Machine::backendNames() const {
    std::string names;
    for (const Backend& backend : backends) names += (names.empty() ? "" : ", ") + backend.name;
    return names;
}

std::vector<std::string> Machine::backendsOn(const devices::DeviceName& device) const {
    std::vector<std::string> names;
    for (const Backend& backend : backends)
        if (!backend.isByNameOnly &&
            (device.kind == devices::DeviceKind::Cpu    ? backend.onCpu
             : device.kind == devices::DeviceKind::Cuda ? backend.onCuda
                                                        : backend.name == protocol::kReferenceBackend))
            names.push_back(backend.name);
    return names;
}

Backend backendOf(const kernels::BackendInfo& listed) {
    return {.name = std::string(listed.name),
            .title = std::string(listed.title),
            .description = std::string(listed.description),
            .cpuDeviation = std::string(listed.cpu.deviation),
            .cudaDeviation = std::string(listed.cuda.deviation),
            .onCpu = listed.runsOn(kernels::Device::Cpu),
            .onCuda = listed.runsOn(kernels::Device::Cuda),
            .isByNameOnly = listed.isByNameOnly,
            .options = listed.options()};
}

void addListedBackends(Machine& machine) {
    for (const kernels::BackendInfo& listed : kernels::backends()) {
        machine.backends.push_back(backendOf(listed));
        if (listed.plugin != nullptr) machine.plugins.push_back(listed.plugin->description);
    }
}

}  // namespace reelgrid::machine

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/devices/device_name.h"
#include "core/devices/gpu_survey.h"
#include "core/machine/cpu.h"
#include "core/protocol/backend_option.h"
#include "kernels/backends/plugin_backend.h"

namespace reelgrid::kernels {
struct BackendInfo;
}

namespace reelgrid::machine {

/// An attention backend that a machine has: what a request may ask of it, and what is said to people.
struct Backend {
    std::string name;  ///< as --attention-type takes it
    std::string title{}, description{};
    std::string cpuDeviation{},
        cudaDeviation{};                 ///< where it differs from the method's definition; may be empty
    bool onCpu = false, onCuda = false;  ///< the devices that this version has it for
    bool isByNameOnly = false;           ///< no part of what is compared where nobody names backends
    std::vector<kernels::BackendOption> options{};  ///< that --backend-option may set

    bool operator==(const Backend&) const = default;
};

/// A model that a machine has.
struct Model {
    std::string id;  ///< as --model takes it
    std::string title, family;
    std::string folder;
    std::uint64_t bytes = 0;

    bool operator==(const Model&) const = default;
};

/// What renders can be asked for on a machine, this one or another: a value, which a request is resolved
/// against (catalog::resolveSettings()) and which `reelgrid-cli doctor --json` prints (machine_json.h).
struct Machine {
    devices::GpuSurvey gpus;
    Cpu cpu;
    std::vector<Backend> backends;  ///< in the order to show them, plug-ins last
    /// Built-in ones first. Empty where nobody asked for them: looking reads the headers of all weights.
    std::vector<Model> models;
    std::vector<kernels::PluginDescription> plugins;  ///< of those of the backends that users brought

    /// Null when there is none of that name.
    [[nodiscard]] const Backend* findBackend(std::string_view name) const;
    /// Null for backends of our own.
    [[nodiscard]] const kernels::PluginDescription* pluginOf(std::string_view backend) const;
    /// What keeps --backend-option from setting that, with what was needed; nothing when nothing does.
    [[nodiscard]] std::optional<std::string> whyNot(const protocol::BackendOptionChoice& choice) const;
    /// Likewise for a model of so many layers.
    [[nodiscard]] std::optional<std::string> whyNot(const protocol::BackendOptionChoice& choice,
                                                    int layers) const;
    /// The names, separated by ", ", for messages.
    [[nodiscard]] std::string backendNames() const;
    /// Those of the device that are compared where nobody names any.
    [[nodiscard]] std::vector<std::string> backendsOn(const devices::DeviceName& device) const;
};

Backend backendOf(const kernels::BackendInfo& listed);

/// The backends that this process knows now, and their plug-ins.
void addListedBackends(Machine& machine);

}  // namespace reelgrid::machine

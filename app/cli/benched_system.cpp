#include "app/cli/benched_system.h"

#include <ATen/Parallel.h>
#include <sys/utsname.h>

#include <fstream>

#include "app/cli/console.h"
#include "app/cli/libtorch_version.h"
#include "core/base/byte_count.h"
#include "core/base/version.h"
#include "core/execution/device_description.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::cli {
namespace {

/// PRETTY_NAME of os-release, without its quotes.
std::string distribution() {
    const std::string key = "PRETTY_NAME=";
    std::ifstream lines("/etc/os-release");
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        std::string name = line.substr(key.size());
        std::erase(name, '"');
        return name;
    }
    return {};
}

std::string kernel() {
    utsname names{};
    if (uname(&names) != 0) return {};
    return std::string(names.sysname) + " " + names.release;
}

}  // namespace

benchmark::System benchedSystem(const execution::Execution& execution, const machine::Machine& machine) {
    const execution::DeviceDescription device = execution::describe(execution);
    benchmark::System system{.kernel = kernel(),
                             .distribution = distribution(),
                             .cpuName = machine.cpu.name,
                             .instructionSet = kernels::nameOf(kernels::selectedInstructionSet()),
                             .threads = at::get_num_threads(),
                             .memoryBytes = machine.cpu.memoryBytes,
                             .device = execution.device.str(),
                             .deviceName = device.name,
                             .versions = device.versions};
    if (!execution.device.is_cpu())
        system.deviceBytes = machine.gpus.gpus.at(static_cast<std::size_t>(execution.device.index())).bytes;
    system.versions["reelgrid"] = kVersion;
    system.versions["libtorch"] = libtorchVersion();
    return system;
}

std::string systemText(const benchmark::System& system) {
    std::string versions;
    for (const auto& [name, version] : system.versions)
        versions += (versions.empty() ? "" : ", ") + name + " " + version;
    std::string device = system.device;
    if (!system.deviceName.empty())
        device += ": " + system.deviceName + ", " + byteCount(system.deviceBytes) + "; processor";
    return "system   " + system.kernel + ", " + system.distribution + "; " + versions + "\ndevice   " +
           device + ": " + system.cpuName + ", " + system.instructionSet + ", " +
           std::to_string(system.threads) + (system.threads == 1 ? " thread, " : " threads, ") +
           byteCount(system.memoryBytes);
}

}  // namespace reelgrid::cli

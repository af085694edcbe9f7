#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/backends/plugin_backend.h"

namespace reelgrid::attention {

/// While one lives, large tensors that libtorch makes on the CPU lie in a plug-in's memory, so that its
/// kernel sees them without a copy. They may outlive it. There is one such memory in a process.
class SharedTensors {
  public:
    /// Null where no backend of those has use for it on the device.
    static std::unique_ptr<SharedTensors> forBackends(const std::vector<std::string>& names,
                                                      const at::Device& device);
    explicit SharedTensors(kernels::PluginMemory& memory);
    SharedTensors(const SharedTensors&) = delete;
    SharedTensors& operator=(const SharedTensors&) = delete;
    ~SharedTensors();
};

}  // namespace reelgrid::attention

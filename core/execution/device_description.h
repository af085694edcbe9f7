#pragma once

#include <map>
#include <string>

#include "core/execution/execution.h"

namespace reelgrid::execution {

/// What a result says of the device that it was made on.
struct DeviceDescription {
    std::string name;                             ///< of a GPU; empty for the CPU
    std::map<std::string, std::string> versions;  ///< of a GPU: "cuda", "cudnn", "driver"
};

DeviceDescription describe(const Execution& execution);

}  // namespace reelgrid::execution

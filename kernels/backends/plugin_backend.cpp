#include "kernels/backends/plugin_backend.h"

#include <algorithm>

namespace reelgrid::kernels {

bool PluginDescription::isFor(Device device) const {
    return std::find(devices.begin(), devices.end(), device) != devices.end();
}

bool PluginDescription::takes(DataType type) const {
    return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace reelgrid::kernels

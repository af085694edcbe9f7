#include "core/benchmark/system.h"

#include <nlohmann/json.hpp>

namespace reelgrid::benchmark {

using nlohmann::json;

json toJson(const System& system) {
    json object = {
        {"kernel", system.kernel},
        {"distribution", system.distribution},
        {"cpu",
         {{"name", system.cpuName}, {"instruction_set", system.instructionSet}, {"threads", system.threads}}},
        {"memory_bytes", system.memoryBytes},
        {"device", {{"type", system.device}}},
        {"versions", system.versions}};
    if (!system.deviceName.empty()) object["device"]["name"] = system.deviceName;
    if (system.deviceBytes > 0) object["device"]["bytes"] = system.deviceBytes;
    return object;
}

}  // namespace reelgrid::benchmark

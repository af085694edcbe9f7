#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/machine/machine.h"

namespace reelgrid::machine {

/// {"cpu", "memory", "gpu", "backends", "models"}: a part of what `doctor --json` prints.
nlohmann::json toJson(const Machine& machine);
/// One of its backends, with "plugin" where it is a user's.
nlohmann::json toJson(const Backend& backend, const kernels::PluginDescription* plugin);

/// Reads it back, from that object or from all that `doctor --json` prints, on whichever machine. Untrusted:
/// InvalidData naming what is wrong.
Result<Machine> machineFromJson(const nlohmann::json& document);

}  // namespace reelgrid::machine

#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/families/model_info.h"
#include "core/result/component_hash.h"

namespace reelgrid::fleet {

/// SHA-256 of each component of a model, by its name: equal on two machines that have the same one, wherever
/// it lies. Reads everything of it, the first time. NotFound or Io, naming the file.
Result<std::map<std::string, std::string>> identityOf(const families::ModelInfo& model,
                                                      result::ComponentHasher& hasher);

}  // namespace reelgrid::fleet

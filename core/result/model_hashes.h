#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/catalog/model_info.h"
#include "core/result/component_hash.h"

namespace reelgrid::result {

/// SHA-256 of everything of the model that decides a render: each component's files (weights, configs,
/// tokenizer, scheduler) by its name, and model_index.json. NotFound or Io, naming the file.
Result<std::map<std::string, std::string>> modelHashes(const catalog::ModelInfo& model,
                                                       ComponentHasher& hasher);

}  // namespace reelgrid::result

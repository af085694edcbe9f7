#pragma once

#include <string>
#include <vector>

#include "core/hub/remote_file.h"

namespace reelgrid::hub {

/// Of a repository in diffusers' layout what the named components need: configs, tokenizers' files, and the
/// weights as safetensors (shards in place of a whole file, no variants, no other formats), model_index.json
/// last.
std::vector<RemoteFile> neededFiles(const std::vector<RemoteFile>& all,
                                    const std::vector<std::string>& components);

}  // namespace reelgrid::hub

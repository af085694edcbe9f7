#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/catalog/render_settings.h"

namespace reelgrid::result {

/// SHA-256 of the files of a render's pictures and of latents that it goes on from, by the field that names
/// them: a path alone doesn't say which picture it was. NotFound or Io, naming the file.
Result<std::map<std::string, std::string>> pictureHashes(const catalog::RenderSettings& settings);

}  // namespace reelgrid::result

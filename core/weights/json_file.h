#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace reelgrid::weights {

/// Reads an untrusted JSON object from a file of at most `maxBytes`, nested at most 32 deep. Fails with
/// NotFound, Io, or InvalidData naming the file and what is wrong.
Result<nlohmann::json> readJson(const std::filesystem::path& path, std::size_t maxBytes);

/// The same from text; `origin` names it in errors.
Result<nlohmann::json> parseJson(const std::string& text, const std::string& origin);

}  // namespace reelgrid::weights

#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid::suite {

struct TomlTable {
    nlohmann::json document;           ///< an object
    std::map<std::string, int> lines;  ///< of its own keys, from 1
};

/// Untrusted TOML as JSON. InvalidData: "NAME:LINE: what is wrong".
Result<TomlTable> readToml(std::string_view text, const std::string& name);

}  // namespace reelgrid::suite

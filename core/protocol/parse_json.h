#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// Arrays and objects within each other that a document may have: nlohmann copies and prints recursively, so
/// a deeper one could overflow the stack.
inline constexpr int kMaxJsonDepth = 64;

/// Parses untrusted JSON. InvalidData says that `what` is not JSON, or is nested too deeply.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& what);

/// Prints on one line (or indented by two); text that is not UTF-8 gets replacement characters instead of
/// failing.
std::string printJson(const nlohmann::json& json);
std::string printJsonIndented(const nlohmann::json& json);

/// The value as a message can show it: one line, shortened when long.
std::string showJson(const nlohmann::json& json);

}  // namespace reelgrid::protocol

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// Whether a request's field of that key takes text, and an empty one says nothing. Prompts may be empty.
bool needsText(std::string_view key);

/// Refuses a field's value from a file that a person wrote where it is an empty text, or a list with one: an
/// unset variable of a script leaves those, and they aren't the same as not giving the field. `name` is the
/// file's own for the field. Manifests, sessions and workers may hold them. BadUsage naming key and value.
Result<void> refuseEmptyText(std::string_view key, const std::string& name, const nlohmann::json& value);

/// The same error as the request's fault where it is of what a file of the request says: its InvalidData is
/// BadUsage.
Error asBadUsage(const Error& error);

/// The same error with fields called by their keys, as files have them, where it calls them by options:
/// "--flow-shift 0: …" is "flow_shift 0: …".
Error withKeys(const Error& error);

}  // namespace reelgrid::protocol

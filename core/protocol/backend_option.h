#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// What --backend-option sets: "sta.window=3,3,3".
struct BackendOptionChoice {
    std::string backend, key, value;

    /// BadUsage unless it is NAME.KEY=VALUE, all three of letters, digits, _, - and + (in a value also . and
    /// the comma): they are in files' names.
    static Result<BackendOptionChoice> from(const std::string& text);
};

/// Whether a parameter may be called that.
bool isOptionKey(const std::string& key);
/// Whether it may have that value.
bool isOptionValue(const std::string& value);

/// Those that `texts` set, of each key the last one. What is no choice is passed over.
std::vector<BackendOptionChoice> choicesIn(const std::vector<std::string>& texts);

}  // namespace reelgrid::protocol

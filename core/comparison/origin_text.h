#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::comparison {

// How untrusted values of another program's file are shown, and which are believed.

/// One line of valid UTF-8 of at most 60 characters.
std::string shownName(std::string_view name);
/// The same of a model's file, without folders ('/' or '\') and the usual extensions.
std::string shownModel(std::string_view file);
/// Valid UTF-8 of at most ClipOrigin::kMaxPromptBytes, without white space around it.
std::string shownPrompt(std::string_view prompt);

/// 1 to 100 000 whole steps.
std::optional<std::int64_t> saneSteps(double steps);
/// A guidance scale from 0 to 10 000.
std::optional<double> saneCfg(double cfg);

}  // namespace reelgrid::comparison

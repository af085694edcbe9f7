#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/tune/tuning.h"

namespace reelgrid::tune {

/// The tuning as a document for machines: docs/reference/file-formats.md.
nlohmann::json toJson(const Tuning& tuning);

/// The same as one page without outside parts: verdict, Pareto curve, renders with predicted and measured
/// figures side by side, the policy's rules and its map. Links are relative to `folder`.
std::string tuningHtml(const Tuning& tuning, const std::filesystem::path& folder);

}  // namespace reelgrid::tune

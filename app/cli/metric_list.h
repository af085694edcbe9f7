#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reelgrid::cli {

/// What --metrics can name, and of each with what it would be computed here, or what it lacks and how that
/// comes here. `weights`: what --metric-weights says.
nlohmann::json metricListJson(const std::string& weights);
/// The same for a terminal.
std::string metricListText(const std::string& weights);

}  // namespace reelgrid::cli

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::result {

/// The most entries that a list in a result's files may have.
inline constexpr std::size_t kMaxEntries = 10000;
inline constexpr std::size_t kMaxNameBytes = 1024;
/// As long as Linux has them.
inline constexpr std::size_t kMaxPathBytes = 4096;

/// A list of numbers, null meaning that there is no value (NaN). InvalidData naming `key` and what stands
/// there instead.
Result<std::vector<double>> numbersFromJson(const nlohmann::json& list, const std::string& key);

}  // namespace reelgrid::result

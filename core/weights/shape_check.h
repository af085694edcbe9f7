#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace reelgrid::weights {

/// Throws Failure(InvalidData): "<where>: tensor <name> is missing, shape [2, 3] was needed".
[[noreturn]] void throwMissing(const std::string& where, const std::string& name,
                               std::span<const std::int64_t> needed);
/// Throws Failure(InvalidData) naming both shapes unless they are equal.
void requireShape(const std::string& where, const std::string& name, std::span<const std::int64_t> stored,
                  std::span<const std::int64_t> needed);

}  // namespace reelgrid::weights

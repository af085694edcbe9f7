#pragma once

#include <cstdint>
#include <string>

namespace reelgrid::profile {

/// Nanoseconds as torch's tables have them: "1.234s", "12.345ms", "7.000us".
std::string timeText(std::int64_t nanoseconds);
/// "12.3 %"; "-" of nothing.
std::string shareText(std::int64_t part, std::int64_t whole);

}  // namespace reelgrid::profile

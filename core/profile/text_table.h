#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelgrid::profile {

/// Lines of cells, the first of them the titles, in columns: the first aligned left, figures right, and
/// what is behind them left again.
std::string alignedText(const std::vector<std::vector<std::string>>& lines, std::size_t lastFigure);

/// Nanoseconds as torch's tables have them: "1.234s", "12.345ms", "7.000us".
std::string timeText(std::int64_t nanoseconds);
/// "12.3 %"; "-" of nothing.
std::string shareText(std::int64_t part, std::int64_t whole);
/// At most so many characters, of UTF-8: a longer text has its end replaced by "…".
std::string cut(const std::string& text, std::size_t characters);

}  // namespace reelgrid::profile

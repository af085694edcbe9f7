#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace reelgrid {

/// One line of a table; the remark follows the last column.
struct TableLine {
    std::vector<std::string> cells;
    std::string remark;
};

/// The lines with their columns aligned, two spaces between them: the first `textColumns` left, figures
/// right, and from `endOfFigures` on left again. Nothing is left blank behind a line.
std::string alignedTable(const std::vector<TableLine>& lines, std::size_t textColumns,
                         std::size_t endOfFigures = std::numeric_limits<std::size_t>::max());

/// At most so many characters, of UTF-8: a longer text has its end replaced by "…".
std::string cut(const std::string& text, std::size_t characters);

}  // namespace reelgrid

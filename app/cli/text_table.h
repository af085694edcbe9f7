#pragma once

#include <string>
#include <vector>

namespace reelgrid::cli {

/// One line of a table; the remark follows the last column.
struct TableLine {
    std::vector<std::string> cells;
    std::string remark;
};

/// The lines with their columns aligned: the first `textColumns` left, figures right.
std::string alignedTable(const std::vector<TableLine>& lines, std::size_t textColumns);

/// "1.23e-04".
std::string scientific(double value);

}  // namespace reelgrid::cli

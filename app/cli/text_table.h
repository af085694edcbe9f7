#pragma once

#include <string>
#include <vector>

namespace reelgrid::cli {

using TableLine = std::vector<std::string>;

/// Lines of equally many columns, two spaces between them: the first `textColumns` aligned left, the others,
/// figures, right. A line's last word that belongs to no column is put behind it.
std::string alignedTable(const std::vector<TableLine>& lines, std::size_t textColumns);

}  // namespace reelgrid::cli

#include "app/cli/text_table.h"

#include <algorithm>

namespace reelgrid::cli {
namespace {

/// In characters, of UTF-8.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string alignedTable(const std::vector<TableLine>& lines, std::size_t textColumns) {
    std::vector<std::size_t> widths(lines.front().size(), 0);
    for (const TableLine& line : lines)
        for (std::size_t i = 0; i < widths.size() && i < line.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(line[i]));
    std::string text;
    for (const TableLine& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::size_t width = i < widths.size() ? widths[i] : 0;
            const std::string padding(width - std::min(width, widthOf(line[i])), ' ');
            row += i == 0 ? "" : "  ";
            row += i < textColumns || i >= widths.size() ? line[i] + padding : padding + line[i];
        }
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

}  // namespace reelgrid::cli

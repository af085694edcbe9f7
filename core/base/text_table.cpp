#include "core/base/text_table.h"

#include <algorithm>

namespace reelgrid {
namespace {

bool startsCharacter(char c) {
    return (c & 0xC0) != 0x80;
}

std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, startsCharacter));
}

}  // namespace

std::string alignedTable(const std::vector<TableLine>& lines, std::size_t textColumns,
                         std::size_t endOfFigures) {
    std::vector<std::size_t> widths;
    for (const TableLine& line : lines) {
        widths.resize(std::max(widths.size(), line.cells.size()), 0);
        for (std::size_t i = 0; i < line.cells.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(line.cells[i]));
    }
    std::string text;
    for (const TableLine& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < line.cells.size(); ++i) {
            const std::string padding(widths[i] - widthOf(line.cells[i]), ' ');
            row += i == 0 ? "" : "  ";
            row += i < textColumns || i >= endOfFigures ? line.cells[i] + padding : padding + line.cells[i];
        }
        row += line.remark;
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

std::string cut(const std::string& text, std::size_t characters) {
    if (widthOf(text) <= characters) return text;
    std::size_t bytes = 0;
    for (std::size_t seen = 0; bytes < text.size(); ++bytes)
        if (startsCharacter(text[bytes]) && ++seen == characters) break;
    return text.substr(0, bytes) + "…";
}

}  // namespace reelgrid

#include "app/cli/text_table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace reelgrid::cli {
namespace {

/// In characters, of UTF-8.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string alignedTable(const std::vector<TableLine>& lines, std::size_t textColumns) {
    std::vector<std::size_t> widths;
    for (const TableLine& line : lines) {
        widths.resize(std::max(widths.size(), line.cells.size()), 0);
        for (std::size_t i = 0; i < line.cells.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(line.cells[i]));
    }
    std::string text;
    for (const TableLine& line : lines) {
        for (std::size_t i = 0; i < line.cells.size(); ++i) {
            const std::string padding(widths[i] - widthOf(line.cells[i]), ' ');
            text += i == 0 ? "" : "  ";
            text += i < textColumns ? line.cells[i] + padding : padding + line.cells[i];
        }
        text += line.remark + "\n";
    }
    return text;
}

std::string scientific(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2e", value);
    return text.data();
}

}  // namespace reelgrid::cli

#include "core/profile/text_table.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"

namespace reelgrid::profile {
namespace {

bool startsCharacter(char c) {
    return (c & 0xC0) != 0x80;
}

std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, startsCharacter));
}

}  // namespace

std::string alignedText(const std::vector<std::vector<std::string>>& lines, std::size_t lastFigure) {
    std::vector<std::size_t> widths(lines.front().size(), 0);
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], widthOf(line[i]));
    std::string text;
    for (const auto& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string padding(widths[i] - widthOf(line[i]), ' ');
            row += i == 0 ? "" : "  ";
            row += i == 0 || i > lastFigure ? line[i] + padding : padding + line[i];
        }
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

std::string timeText(std::int64_t nanoseconds) {
    const double ns = static_cast<double>(nanoseconds), size = std::abs(ns);
    if (size >= 1e9) return fixed(ns * 1e-9, 3) + "s";
    if (size >= 1e6) return fixed(ns * 1e-6, 3) + "ms";
    return fixed(ns * 1e-3, 3) + "us";
}

std::string shareText(std::int64_t part, std::int64_t whole) {
    if (whole <= 0) return "-";
    return fixed(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

std::string cut(const std::string& text, std::size_t characters) {
    if (widthOf(text) <= characters) return text;
    std::size_t bytes = 0;
    for (std::size_t seen = 0; bytes < text.size(); ++bytes)
        if (startsCharacter(text[bytes]) && ++seen == characters) break;
    return text.substr(0, bytes) + "…";
}

}  // namespace reelgrid::profile

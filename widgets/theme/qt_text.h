#pragma once

#include <QString>
#include <string_view>

namespace reelgrid::widgets {

/// UTF-8 as Qt's text.
[[nodiscard]] inline QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}

/// Marks that turn a text's direction, U+202A to U+202E and U+2066 to U+2069, as \u202e: a table's cells may
/// come from anybody's file.
[[nodiscard]] inline QString visible(QString words) {
    for (qsizetype at = words.size() - 1; at >= 0; --at) {
        const ushort letter = words.at(at).unicode();
        if ((letter >= 0x202A && letter <= 0x202E) || (letter >= 0x2066 && letter <= 0x2069))
            words.replace(at, 1, "\\u" + QString::number(letter, 16));
    }
    return words;
}

}  // namespace reelgrid::widgets

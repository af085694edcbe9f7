#pragma once

#include <QString>
#include <string_view>

namespace reelgrid::widgets {

/// UTF-8 as Qt's text.
[[nodiscard]] inline QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}

}  // namespace reelgrid::widgets

#pragma once

#include <QString>
#include <optional>
#include <string_view>

namespace reelgrid::widgets {

// Numbers as the window shows them: by the user's locale, thousands not grouped, as spin boxes and the axes
// of charts have them. What a program reads has points whatever the locale: files, requests, options of a
// command line (QString::number, numberCell).

/// With so many decimals: "1.50", in German "1,50".
QString fixedText(double value, int decimals);
/// With so many significant digits: "0.0123".
QString significantText(double value, int digits);
/// As many digits as tell it from any other number: for fields that are edited.
QString shortestText(double value);
/// What core wrote of one number: of "61.2 MB" in German "61,2 MB".
QString localText(std::string_view number);

/// What somebody typed: by the locale, or with a point; nothing where it is no number. Neither is one with
/// groups, whose separators are other locales' points.
std::optional<double> numberIn(const QString& text);

}  // namespace reelgrid::widgets

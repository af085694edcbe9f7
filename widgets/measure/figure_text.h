#pragma once

#include <QString>
#include <optional>

namespace reelgrid::widgets {

// Figures as tables and charts show them, by the user's locale; what was not measured is a dash.

/// Three to four digits: "12.3", "0.00412", "1.2e-07".
QString figure(std::optional<double> value, int digits = 4);
/// "412 µs", "12.3 ms", "1.62 s"
QString secondsText(std::optional<double> seconds);
/// "61.2 MB"
QString bytesText(std::optional<double> bytes);

}  // namespace reelgrid::widgets

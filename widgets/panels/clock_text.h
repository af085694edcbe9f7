#pragma once

#include <QString>

namespace reelgrid::widgets {

/// A time in a clip: "01:02.500", from an hour on "31:00:02.500", however many hours; with the locale's
/// point.
QString clockText(double seconds);

}  // namespace reelgrid::widgets

#pragma once

#include <QString>

namespace reelgrid::widgets {

/// A time in a clip: "01:02.500", from an hour on "31:00:02.500", however many hours.
QString clockText(double seconds);

}  // namespace reelgrid::widgets

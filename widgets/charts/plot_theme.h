#pragma once

class QWidget;

namespace reelgrid::widgets {

/// Gives every plot below `window` the theme's colours in place of the other theme's: QCustomPlot keeps the
/// pens that it was given. Curves keep theirs; who drew them draws them again.
void followTheme(QWidget& window);

}  // namespace reelgrid::widgets

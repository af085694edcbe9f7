#pragma once

#include <QStringList>

class QCustomPlot;

namespace reelgrid::widgets {

/// The names of rows below one another, the first on top, on a plot's y axis: of more rows than there is room
/// for every second, third, … is named. GUI thread.
class RowNames {
  public:
    /// Few rows leave room below them: one alone must not fill the chart.
    static constexpr int kFewestRows = 3;

    explicit RowNames(QCustomPlot* plot) : m_plot(plot) {}

    /// Sets the axis' range and names; long names lose their middle.
    void set(const QStringList& names);
    /// Once a layout says how high the rows are: whether others are named now, which the next replot draws.
    [[nodiscard]] bool fit();
    /// Where row `index` lies on the axis.
    [[nodiscard]] double placeOf(int index) const { return m_rows - index; }
    [[nodiscard]] bool isNamed(int index) const { return index % m_every == 0; }
    /// Whether rows are lower than a line of text.
    [[nodiscard]] bool areCrowded() const { return m_every > 1; }

  private:
    void write();

    QCustomPlot* m_plot;
    QStringList m_names;
    int m_rows = kFewestRows;
    int m_every = 1;
};

}  // namespace reelgrid::widgets

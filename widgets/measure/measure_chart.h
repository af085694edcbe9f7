#pragma once

#include "widgets/charts/chart_frame.h"
#include "widgets/charts/plot_hover.h"

class QCustomPlot;

namespace reelgrid::widgets {

/// A frame with one plot, which says what the pointer rests on. What is drawn is its subclasses'.
class MeasureChart : public ChartFrame {
    Q_OBJECT

  public:
    /// What the pointer rests on; empty where there is nothing.
    [[nodiscard]] QString reading() const;

  protected:
    /// Around a plot of its own, or that of another widget.
    MeasureChart(const QString& title, QWidget* parent);
    MeasureChart(const QString& title, QWidget* around, QCustomPlot* plot, std::function<ChartTable()> table,
                 QWidget* parent);

    [[nodiscard]] QCustomPlot& plot() const { return *m_plot; }
    void setTable(ChartTable table) { m_table = std::move(table); }
    void readWith(PlotHover::Reading reading);

  private:
    QCustomPlot* m_plot;
    ChartTable m_table;
};

}  // namespace reelgrid::widgets

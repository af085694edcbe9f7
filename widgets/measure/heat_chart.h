#pragma once

#include "widgets/charts/heat_map_plot.h"
#include "widgets/measure/measure_chart.h"

namespace reelgrid::widgets {

/// A heat map of what was measured, in a frame of its own. The pointer reads a cell, a click is told.
class HeatChart : public MeasureChart {
    Q_OBJECT

  public:
    explicit HeatChart(const QString& title, QWidget* parent = nullptr);
    /// In powers of ten. `reading`: what a cell says.
    void setCells(HeatMapCells cells, const HeatRange& range,
                  std::function<QString(int column, int row)> reading);
    [[nodiscard]] const HeatMapCells& cells() const { return m_map->cells(); }
    /// Where a cell's middle is in the plot, in pixels.
    [[nodiscard]] QPointF pixelOf(int column, int row) const;

  Q_SIGNALS:
    void cellClicked(int column, int row);

  private:
    HeatChart(const QString& title, HeatMapPlot* map, QWidget* parent);

    HeatMapPlot* m_map;
};

}  // namespace reelgrid::widgets

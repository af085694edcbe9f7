#include "widgets/measure/heat_chart.h"

#include <qcustomplot.h>

#include <utility>

namespace reelgrid::widgets {

HeatChart::HeatChart(const QString& title, QWidget* parent) : HeatChart(title, new HeatMapPlot, parent) {}

HeatChart::HeatChart(const QString& title, HeatMapPlot* map, QWidget* parent)
    : MeasureChart(
          title, map, map->plot(), [map] { return map->table(); }, parent),
      m_map(map) {
    connect(m_map, &HeatMapPlot::cellClicked, this, &HeatChart::cellClicked);
}

void HeatChart::setCells(HeatMapCells cells, const HeatRange& range,
                         std::function<QString(int column, int row)> reading) {
    cells.scale = HeatMapCells::Scale::Log;
    cells.range = range;
    m_map->setReading(std::move(reading));
    m_map->setCells(std::move(cells));
}

QPointF HeatChart::pixelOf(int column, int row) const {
    return {plot().xAxis->coordToPixel(column), plot().yAxis->coordToPixel(row)};
}

}  // namespace reelgrid::widgets

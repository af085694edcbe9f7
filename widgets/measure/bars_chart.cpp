#include "widgets/measure/bars_chart.h"

#include <utility>

namespace reelgrid::widgets {

BarsChart::BarsChart(const QString& title, QWidget* parent) : BarsChart(title, new BarPlot, parent) {}

BarsChart::BarsChart(const QString& title, BarPlot* bars, QWidget* parent)
    : MeasureChart(
          title, bars, bars->plot(), [bars] { return bars->table(); }, parent),
      m_bars(bars) {}

void BarsChart::setBars(std::vector<Bar> bars, const QString& axis) {
    m_bars->setBars(std::move(bars), axis);
}

}  // namespace reelgrid::widgets

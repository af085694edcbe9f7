#pragma once

#include "widgets/charts/bar_plot.h"
#include "widgets/measure/measure_chart.h"

namespace reelgrid::widgets {

/// Bars of what was measured, in a frame of their own.
class BarsChart : public MeasureChart {
    Q_OBJECT

  public:
    explicit BarsChart(const QString& title, QWidget* parent = nullptr);
    /// `axis`: what the length is.
    void setBars(std::vector<Bar> bars, const QString& axis);
    [[nodiscard]] int barCount() const { return int(m_bars->bars().size()); }

  private:
    BarsChart(const QString& title, BarPlot* bars, QWidget* parent);

    BarPlot* m_bars;
};

}  // namespace reelgrid::widgets

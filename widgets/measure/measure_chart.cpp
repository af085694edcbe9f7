#include "widgets/measure/measure_chart.h"

#include <qcustomplot.h>

#include "widgets/charts/plot_style.h"

namespace reelgrid::widgets {

MeasureChart::MeasureChart(const QString& title, QWidget* parent)
    : ChartFrame(title, parent), m_plot(new QCustomPlot) {
    legend().hide();
    stylePlot(*m_plot);
    addPage({title, m_plot, m_plot, [this] { return m_table; }});
}

MeasureChart::MeasureChart(const QString& title, QWidget* around, QCustomPlot* plot,
                           std::function<ChartTable()> table, QWidget* parent)
    : ChartFrame(title, parent), m_plot(plot) {
    legend().hide();
    addPage({title, around, plot, std::move(table)});
}

QString MeasureChart::reading() const {
    const auto* hover = static_cast<const PlotHover*>(m_plot->findChild<QObject*>(PlotHover::kName));
    return hover == nullptr ? QString() : hover->shown();
}

void MeasureChart::readWith(PlotHover::Reading reading) {
    new PlotHover(m_plot, std::move(reading));
}

}  // namespace reelgrid::widgets

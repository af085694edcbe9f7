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

QString MeasureChart::reading() const {
    return m_hover == nullptr ? QString() : m_hover->shown();
}

void MeasureChart::readWith(PlotHover::Reading reading) {
    m_hover = new PlotHover(m_plot, std::move(reading));
}

}  // namespace reelgrid::widgets

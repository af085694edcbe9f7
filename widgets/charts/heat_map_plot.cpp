#include "widgets/charts/heat_map_plot.h"

#include <qcustomplot.h>

#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/charts/plot_hover.h"
#include "widgets/charts/plot_style.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

QCPColorGradient amounts() {
    QCPColorGradient gradient(QCPColorGradient::gpHot);
    // From the panel's dark to light, each step lighter than the one before: it reads in grey, too.
    gradient.clearColorStops();
    gradient.setColorStopAt(0.00, QColor(0x1d, 0x1b, 0x3a));
    gradient.setColorStopAt(0.25, QColor(0x5b, 0x2a, 0x86));
    gradient.setColorStopAt(0.50, QColor(0xb5, 0x36, 0x7a));
    gradient.setColorStopAt(0.75, QColor(0xf0, 0x7f, 0x4f));
    gradient.setColorStopAt(1.00, QColor(0xfc, 0xf0, 0xa4));
    return gradient;
}

QCPColorGradient kinds(const std::vector<HeatCategory>& categories) {
    QCPColorGradient gradient;
    gradient.clearColorStops();
    const int last = std::max(1, int(categories.size()) - 1);
    for (int i = 0; i <= last; ++i)
        gradient.setColorStopAt(double(i) / last,
                                categories[std::min(categories.size() - 1, std::size_t(i))].color);
    gradient.setLevelCount(last + 1);
    return gradient;
}

/// From the least to the most that is there, and something to colour where there is one value or none.
QCPRange rangeOf(const HeatMapCells& cells) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    const bool log = cells.scale == HeatMapCells::Scale::Log;
    // A hair wider than one value.
    if (log && cells.range && cells.range->high > 0)
        return {cells.range->low, std::max(cells.range->high, cells.range->low * 1.0001)};
    for (const double value : cells.values) {
        if (!std::isfinite(value) || (log && value <= 0)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (low > high) return log ? QCPRange(1e-3, 1) : QCPRange(0, 1);
    if (low == high) return log ? QCPRange(low / 10, high * 10) : QCPRange(low - 0.5, high + 0.5);
    return {low, high};
}

}  // namespace

void HeatRange::add(const std::vector<double>& values) {
    for (const double value : values) {
        if (!std::isfinite(value) || value <= 0) continue;
        low = high == 0 ? value : std::min(low, value);
        high = std::max(high, value);
    }
}

HeatMapPlot::HeatMapPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    stylePlot(*m_plot);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->grid()->setVisible(false);
        const QSharedPointer<QCPAxisTickerFixed> whole(new QCPAxisTickerFixed);
        whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
        axis->setTicker(whole);
    }
    m_plot->yAxis->setRangeReversed(true);
    m_map = new QCPColorMap(m_plot->xAxis, m_plot->yAxis);
    m_map->setInterpolate(false);
    m_map->setTightBoundary(false);
    m_scale = new QCPColorScale(m_plot);
    m_scale->setBarWidth(10);
    m_scale->axis()->setTickLabelColor(theme::kQuiet);
    m_scale->axis()->setLabelColor(theme::kQuiet);
    m_scale->axis()->setTickLabelFont(m_plot->xAxis->tickLabelFont());
    m_scale->axis()->setLabelFont(m_plot->xAxis->labelFont());
    m_map->setColorScale(m_scale);
    auto* margins = new QCPMarginGroup(m_plot);
    m_plot->axisRect()->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    m_scale->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    m_plot->installEventFilter(this);
    new PlotHover(m_plot, [this](const QPoint& at) {
        int column = 0, row = 0;
        return cellAt(at, column, row) ? readingOf(column, row) : QString();
    });
    setCells({});
}

void HeatMapPlot::setCells(HeatMapCells cells) {
    m_cells = std::move(cells);
    QCPColorMapData& drawn = *m_map->data();
    drawn.setSize(std::max(1, m_cells.columns), std::max(1, m_cells.rows));
    // The ranges are of the cells' middles.
    drawn.setRange({0, double(std::max(1, m_cells.columns) - 1)}, {0, double(std::max(1, m_cells.rows) - 1)});
    // On a logarithmic scale nothing at all has the lowest colour.
    const bool log = m_cells.scale == HeatMapCells::Scale::Log;
    const double least = rangeOf(m_cells).lower;
    for (int row = 0; row < m_cells.rows; ++row)
        for (int column = 0; column < m_cells.columns; ++column) {
            const double value = m_cells.at(column, row);
            drawn.setCell(column, row, log && std::isfinite(value) ? std::max(value, least) : value);
        }
    m_map->setVisible(m_cells.columns > 0 && m_cells.rows > 0);
    m_plot->xAxis->setLabel(m_cells.columnName);
    m_plot->yAxis->setLabel(m_cells.rowName);
    m_plot->xAxis->setRange(-0.5, std::max(1, m_cells.columns) - 0.5);
    m_plot->yAxis->setRange(-0.5, std::max(1, m_cells.rows) - 0.5);
    for (auto [axis, count] : {std::pair(m_plot->xAxis, m_cells.columns), {m_plot->yAxis, m_cells.rows}}) {
        const QSharedPointer<QCPAxisTickerFixed> whole(new QCPAxisTickerFixed);
        whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
        whole->setTickStep(count > 16 ? 5 : count > 8 ? 2 : 1);
        axis->setTicker(whole);
    }
    if (!m_cells.rowLabels.isEmpty()) labelRows();
    color();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void HeatMapPlot::labelRows() {
    constexpr int kMostNumbers = 12;
    const QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    const int first = int(m_cells.rowLabels.size());
    for (int i = 0; i < first; ++i) names->addTick(i, m_cells.rowLabels[i]);
    const int others = m_cells.rows - first;
    const int every = std::max(1, (others + kMostNumbers - 1) / kMostNumbers);
    for (int i = 0; i < others; i += every) names->addTick(first + i, QString::number(i));
    m_plot->yAxis->setTicker(names);
}

void HeatMapPlot::color() {
    const bool amount = m_cells.categories.empty();
    QCPColorGradient gradient = amount ? amounts() : kinds(m_cells.categories);
    gradient.setNanHandling(QCPColorGradient::nhNanColor);
    gradient.setNanColor(theme::kLine);
    const bool log = amount && m_cells.scale == HeatMapCells::Scale::Log;
    m_map->setDataScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_map->setGradient(gradient);
    // A hair below the whole numbers: the colour of a kind is looked up by rounding down.
    m_map->setDataRange(amount
                            ? rangeOf(m_cells)
                            : QCPRange(-1e-6, std::max(1.0, double(m_cells.categories.size()) - 1) - 1e-6));
    m_scale->setVisible(amount);
    m_scale->axis()->setLabel(m_cells.valueName);
    m_scale->axis()->setTicker(log ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                   : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    m_scale->axis()->setNumberFormat(log ? "gb" : "g");
    m_scale->axis()->setNumberPrecision(log ? 2 : 6);
    const bool inLayout = m_scale->layout() != nullptr;
    if (amount && !inLayout)
        m_plot->plotLayout()->addElement(0, 1, m_scale);
    else if (!amount && inLayout) {
        m_plot->plotLayout()->take(m_scale);
        m_plot->plotLayout()->simplify();
    }
}

bool HeatMapPlot::cellAt(const QPoint& at, int& column, int& row) const {
    if (!m_plot->axisRect()->rect().contains(at)) return false;
    column = int(std::lround(m_plot->xAxis->pixelToCoord(at.x())));
    row = int(std::lround(m_plot->yAxis->pixelToCoord(at.y())));
    return column >= 0 && column < m_cells.columns && row >= 0 && row < m_cells.rows;
}

QString HeatMapPlot::readingOf(int column, int row) const {
    if (m_reading) return m_reading(column, row);
    const double value = m_cells.at(column, row);
    QString text =
        QString("%1 %2, %3 %4: ").arg(m_cells.rowName).arg(row).arg(m_cells.columnName).arg(column);
    if (!std::isfinite(value)) return text + tr("not measured");
    if (m_cells.categories.empty()) return text + significantText(value, 4);
    return text + m_cells.categories[std::size_t(value)].name;
}

ChartTable HeatMapPlot::table() const {
    ChartTable table;
    table.columns.append(m_cells.rowName + " \\ " + m_cells.columnName);
    for (int column = 0; column < m_cells.columns; ++column) table.columns.append(QString::number(column));
    for (int row = 0; row < m_cells.rows; ++row) {
        const auto labelled = int(m_cells.rowLabels.size());
        QStringList line{row < labelled ? m_cells.rowLabels[row] : QString::number(row - labelled)};
        for (int column = 0; column < m_cells.columns; ++column) {
            const double value = m_cells.at(column, row);
            const bool named = !m_cells.categories.empty() && std::isfinite(value);
            line.append(named ? m_cells.categories[std::size_t(value)].name : numberCell(value));
        }
        table.rows.push_back(line);
    }
    return table;
}

bool HeatMapPlot::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonPress) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        int column = 0, row = 0;
        if (mouse->button() == Qt::LeftButton && cellAt(mouse->position().toPoint(), column, row))
            Q_EMIT cellClicked(column, row);
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace reelgrid::widgets

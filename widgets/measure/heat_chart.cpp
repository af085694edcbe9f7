#include "widgets/measure/heat_chart.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

/// Dark to light, even for colour-blind readers (as matplotlib's inferno).
QCPColorGradient gradient() {
    QCPColorGradient colors;
    colors.clearColorStops();
    colors.setColorStops({{0.0, QColor(0x0b, 0x07, 0x24)},
                          {0.25, QColor(0x57, 0x10, 0x6d)},
                          {0.5, QColor(0xbb, 0x37, 0x54)},
                          {0.75, QColor(0xf8, 0x8d, 0x0a)},
                          {1.0, QColor(0xfc, 0xff, 0xa4)}});
    colors.setLevelCount(256);
    colors.setNanHandling(QCPColorGradient::nhNanColor);
    colors.setNanColor(theme::kRaised);
    return colors;
}

}  // namespace

void HeatRange::add(const std::vector<double>& values) {
    for (const double value : values) {
        if (!std::isfinite(value) || value <= 0) continue;
        low = high == 0 ? value : std::min(low, value);
        high = std::max(high, value);
    }
}

HeatChart::HeatChart(const QString& title, QWidget* parent)
    : MeasureChart(title, parent),
      m_scale(new QCPColorScale(&plot())),
      m_map(new QCPColorMap(plot().xAxis, plot().yAxis)) {
    plot().plotLayout()->addElement(0, 1, m_scale);
    m_map->setInterpolate(false);
    m_map->setTightBoundary(false);
    m_map->setColorScale(m_scale);
    m_scale->setGradient(gradient());
    m_scale->setDataScaleType(QCPAxis::stLogarithmic);
    QCPAxis* values = m_scale->axis();
    values->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
    values->setNumberFormat("gb");
    values->setNumberPrecision(2);
    values->setTickLabelColor(theme::kQuiet);
    values->setLabelColor(theme::kQuiet);
    values->setTickLabelFont(plot().xAxis->tickLabelFont());
    values->setLabelFont(plot().xAxis->labelFont());
    for (QCPAxis* axis : {plot().xAxis, plot().yAxis}) axis->grid()->setVisible(false);
    plot().yAxis->setRangeReversed(true);
    auto* margins = new QCPMarginGroup(&plot());
    plot().axisRect()->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    m_scale->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    plot().setMouseTracking(true);
    connect(&plot(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) { read(*event); });
    connect(&plot(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        int column = 0, row = 0;
        if (event->button() == Qt::LeftButton && cellAt(event->position(), column, row))
            Q_EMIT cellClicked(column, row);
    });
}

void HeatChart::setCells(HeatCells cells, const HeatRange& range) {
    m_cells = std::move(cells);
    const double low = range.high > 0 ? range.low : 0.1;
    const double high = std::max(range.high, low * 1.0001);
    auto* cellData = new QCPColorMapData(m_cells.columns, m_cells.rows, QCPRange(0, m_cells.columns - 1),
                                         QCPRange(0, m_cells.rows - 1));
    for (int row = 0; row < m_cells.rows; ++row)
        for (int column = 0; column < m_cells.columns; ++column) {
            const double value =
                m_cells.values[std::size_t(row) * std::size_t(m_cells.columns) + std::size_t(column)];
            cellData->setCell(column, row, std::isnan(value) ? value : std::max(value, low));
        }
    m_map->setData(cellData);
    m_scale->setDataRange(QCPRange(low, high));
    m_scale->axis()->setLabel(m_cells.colorName);
    plot().xAxis->setLabel(m_cells.columnName);
    plot().yAxis->setLabel(m_cells.rowName);
    if (!m_cells.rowLabels.isEmpty()) {
        const QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
        const int first = int(m_cells.rowLabels.size());
        for (int i = 0; i < first; ++i) names->addTick(i, m_cells.rowLabels[i]);
        const int others = m_cells.rows - first;
        const int every = std::max(1, (others + 11) / 12);
        for (int i = 0; i < others; i += every) names->addTick(first + i, QString::number(i));
        plot().yAxis->setTicker(names);
    }
    plot().xAxis->setRange(-0.5, m_cells.columns - 0.5);
    plot().yAxis->setRange(-0.5, m_cells.rows - 0.5);
    noteTable();
    plot().replot(QCustomPlot::rpQueuedReplot);
}

void HeatChart::noteTable() {
    FigureTable table{{m_cells.rowName}, {}};
    for (int column = 0; column < m_cells.columns; ++column)
        table.heads << m_cells.columnName + ' ' + QString::number(column);
    for (int row = 0; row < m_cells.rows; ++row) {
        const auto first = int(m_cells.rowLabels.size());
        QStringList line{row < first ? m_cells.rowLabels[row] : QString::number(row - first)};
        for (int column = 0; column < m_cells.columns; ++column) {
            const double value =
                m_cells.values[std::size_t(row) * std::size_t(m_cells.columns) + std::size_t(column)];
            line << (std::isnan(value) ? QString() : QString::number(value, 'g', 9));
        }
        table.rows.push_back(std::move(line));
    }
    setTable(std::move(table));
}

QPointF HeatChart::pixelOf(int column, int row) const {
    return {plot().xAxis->coordToPixel(column), plot().yAxis->coordToPixel(row)};
}

bool HeatChart::cellAt(const QPointF& at, int& column, int& row) const {
    if (!plot().axisRect()->rect().contains(at.toPoint())) return false;
    column = int(std::lround(plot().xAxis->pixelToCoord(at.x())));
    row = int(std::lround(plot().yAxis->pixelToCoord(at.y())));
    return column >= 0 && column < m_cells.columns && row >= 0 && row < m_cells.rows;
}

void HeatChart::read(const QMouseEvent& event) {
    int column = 0, row = 0;
    setReading(cellAt(event.position(), column, row) && m_cells.reading ? m_cells.reading(column, row)
                                                                        : QString());
}

}  // namespace reelgrid::widgets

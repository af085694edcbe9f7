#include "widgets/measure/bars_chart.h"

#include <qcustomplot.h>

#include <algorithm>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {
// A bar alone must not fill the chart.
constexpr int kFewestRows = 3;
constexpr int kLongestName = 170;
// Of the axis: what the text behind the longest bar gets.
constexpr double kRoomForText = 1.32;
constexpr int kWhiskerWidth = 7;
}  // namespace

BarsChart::BarsChart(const QString& title, QWidget* parent) : MeasureChart(title, parent) {
    plot().yAxis->grid()->setVisible(false);
    plot().yAxis->setTickPen(Qt::NoPen);
    plot().yAxis->setTickLabelColor(theme::kText);
}

void BarsChart::setBars(const std::vector<MeasuredBar>& bars, const QString& axis) {
    QCustomPlot& drawn = plot();
    drawn.clearPlottables();
    drawn.clearItems();
    m_count = int(bars.size());
    const int rows = std::max(kFewestRows, m_count);
    const QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    const QFontMetrics metrics(drawn.yAxis->tickLabelFont());
    double farthest = 0, nearest = 0;
    FigureTable table{{tr("name"), axis, tr("low"), tr("high")}, {}};
    for (int i = 0; i < m_count; ++i) {
        const MeasuredBar& bar = bars[std::size_t(i)];
        const double row = rows - i;
        names->addTick(row, metrics.elidedText(bar.name, Qt::ElideMiddle, kLongestName));
        auto* shape = new QCPBars(drawn.yAxis, drawn.xAxis);
        shape->setWidth(0.62);
        shape->setAntialiased(true);
        shape->setPen(QPen(bar.color, 1));
        shape->setBrush(bar.fill == MeasuredBar::Fill::Full ? QBrush(bar.color) : Qt::NoBrush);
        shape->setData({row}, {bar.value});
        double end = bar.value;
        if (bar.low && bar.high) {
            auto* whisker = new QCPErrorBars(drawn.yAxis, drawn.xAxis);
            whisker->setDataPlottable(shape);
            whisker->setPen(QPen(theme::kText, 1));
            whisker->setWhiskerWidth(kWhiskerWidth);
            whisker->setSymbolGap(0);
            whisker->setData({std::max(0.0, bar.value - *bar.low)}, {std::max(0.0, *bar.high - bar.value)});
            end = std::max(end, *bar.high);
        }
        farthest = std::max(farthest, end);
        nearest = std::min(nearest, bar.value);
        addText(row, std::max(end, 0.0), bar.text);
        const auto cell = [](const std::optional<double>& value) {
            return value ? QString::number(*value, 'g', 9) : QString();
        };
        table.rows.push_back({bar.name, cell(bar.value), cell(bar.low), cell(bar.high)});
    }
    setTable(std::move(table));
    drawn.yAxis->setTicker(names);
    drawn.yAxis->setRange(0.4, rows + 0.6);
    drawn.xAxis->setLabel(axis);
    drawn.xAxis->setRange(nearest * kRoomForText, farthest > 0 ? farthest * kRoomForText : 1);
    drawn.replot(QCustomPlot::rpQueuedReplot);
}

void BarsChart::addText(double row, double end, const QString& text) {
    auto* label = new QCPItemText(&plot());
    label->position->setCoords(end, row);
    label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    label->setPadding(QMargins(8, 0, 0, 0));
    label->setText(text);
    label->setColor(theme::kText);
    label->setFont(plot().xAxis->tickLabelFont());
    label->setClipToAxisRect(false);
}

}  // namespace reelgrid::widgets

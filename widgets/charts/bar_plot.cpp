#include "widgets/charts/bar_plot.h"

#include <qcustomplot.h>

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/charts/plot_hover.h"
#include "widgets/charts/plot_style.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

// Of the chart's width: what the bars keep, however long the texts after them.
constexpr double kLeastForBars = 0.35;
constexpr int kBeforeText = 6;

QString textOf(const Bar& bar) {
    return bar.text.isEmpty() ? significantText(bar.value, 4) : bar.text;
}

/// Where its text begins.
double endOf(const Bar& bar) {
    return std::max({0.0, bar.value, bar.upTo.value_or(bar.value)});
}

double leastOf(const std::vector<Bar>& bars) {
    double least = 0;
    for (const Bar& bar : bars) least = std::min({least, bar.value, bar.from.value_or(0)});
    return least;
}

}  // namespace

BarPlot::BarPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot), m_names(m_plot) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    stylePlot(*m_plot);
    m_plot->yAxis->grid()->setVisible(false);
    m_plot->yAxis->setTickPen(Qt::NoPen);
    m_plot->yAxis->setTickLabelColor(theme::kText);
    connect(m_plot, &QCustomPlot::afterLayout, this, &BarPlot::makeRoomForTexts);
    new PlotHover(m_plot, [this](const QPoint& at) { return readingAt(at); });
}

void BarPlot::setBars(std::vector<Bar> bars, const QString& axis) {
    m_bars = std::move(bars);
    m_axis = axis;
    redraw();
}

void BarPlot::setMark(std::optional<double> value) {
    m_mark = value;
    redraw();
}

void BarPlot::redraw() {
    m_plot->clearPlottables();
    m_plot->clearItems();
    m_texts.clear();
    QStringList names;
    for (const Bar& bar : m_bars) names.append(bar.name);
    m_names.set(names);
    double longest = 0;
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const Bar& bar = m_bars[i];
        const double row = m_names.placeOf(int(i));
        auto* drawn = new QCPBars(m_plot->yAxis, m_plot->xAxis);
        drawn->setPen(bar.fill == Bar::Fill::Full ? QPen(Qt::NoPen) : QPen(bar.color, 1));
        drawn->setBrush(bar.fill == Bar::Fill::Full ? QBrush(bar.color) : Qt::NoBrush);
        drawn->setWidth(0.62);
        drawn->setData({row}, {bar.value});
        if (bar.upTo) {
            auto* spread = new QCPItemLine(m_plot);
            spread->start->setCoords(bar.from.value_or(bar.value), row);
            spread->end->setCoords(*bar.upTo, row);
            spread->setPen(QPen(theme::kText, 1));
            spread->setTail(QCPLineEnding(QCPLineEnding::esBar, 5));
            spread->setHead(QCPLineEnding(QCPLineEnding::esBar, 5));
        }
        longest = std::max(longest, endOf(bar));
        auto* text = new QCPItemText(m_plot);
        text->position->setCoords(endOf(bar), row);
        text->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        text->setPadding(QMargins(kBeforeText, 0, 0, 0));
        text->setText(textOf(bar));
        text->setColor(theme::kText);
        text->setFont(m_plot->xAxis->tickLabelFont());
        text->setClipToAxisRect(false);
        m_texts.push_back(text);
    }
    if (m_mark) {
        auto* line = new QCPItemStraightLine(m_plot);
        line->point1->setCoords(*m_mark, 0);
        line->point2->setCoords(*m_mark, 1);
        line->setPen(QPen(theme::kQuiet, 1, Qt::DashLine));
        longest = std::max(longest, *m_mark);
    }
    m_plot->xAxis->setLabel(m_axis);
    m_plot->xAxis->setRange(leastOf(m_bars), longest > 0 ? longest : 1);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

/// Once the layout says how large the chart is.
void BarPlot::makeRoomForTexts() {
    const bool isRenamed = m_names.fit();
    const double width = m_plot->axisRect()->width();
    const double least = leastOf(m_bars);
    double most = m_mark.value_or(0);
    for (std::size_t i = 0; i < m_texts.size(); ++i) {
        m_texts[i]->setVisible(m_names.isNamed(int(i)));
        most = std::max(most, endOf(m_bars[i]));
        if (!m_texts[i]->visible()) continue;
        const QFontMetrics metrics(m_texts[i]->font());
        const double beside = width - metrics.horizontalAdvance(m_texts[i]->text()) - 2 * kBeforeText;
        most = std::max(most,
                        least + (endOf(m_bars[i]) - least) * width / std::max(kLeastForBars * width, beside));
    }
    const bool isWider =
        most > least && std::abs(most - m_plot->xAxis->range().upper) >= 1e-6 * (most - least);
    if (isWider) m_plot->xAxis->setRange(least, most);
    if (isWider || isRenamed) m_plot->replot(QCustomPlot::rpQueuedReplot);
}

QString BarPlot::readingAt(const QPoint& at) const {
    const auto index = std::lround(m_names.placeOf(0) - m_plot->yAxis->pixelToCoord(at.y()));
    if (!m_plot->axisRect()->rect().contains(at) || index < 0 || index >= long(m_bars.size())) return {};
    const Bar& bar = m_bars[std::size_t(index)];
    return bar.reading.isEmpty() ? bar.name + ": " + textOf(bar) : bar.reading;
}

ChartTable BarPlot::table() const {
    ChartTable table{{tr("name"), m_axis, tr("from"), tr("up to")}, {}};
    const auto cell = [](const std::optional<double>& value) {
        return value ? numberCell(*value) : QString();
    };
    for (const Bar& bar : m_bars)
        table.rows.push_back({bar.name, numberCell(bar.value), cell(bar.from), cell(bar.upTo)});
    return table;
}

}  // namespace reelgrid::widgets

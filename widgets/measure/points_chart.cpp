#include "widgets/measure/points_chart.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

#include "widgets/charts/plot_style.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

constexpr double kReach = 12;  ///< pixels around a point in which the pointer reads it

QCPScatterStyle styleOf(const PointSeries& series) {
    switch (series.mark) {
        case PointSeries::Mark::Line:
        case PointSeries::Mark::Steps:
            return QCPScatterStyle(QCPScatterStyle::ssNone);
        case PointSeries::Mark::Dots:
            return QCPScatterStyle(QCPScatterStyle::ssDisc, series.color, 9);
        case PointSeries::Mark::Squares:
            return {QCPScatterStyle::ssSquare, series.color, series.color, 10};
        case PointSeries::Mark::Rings:
            return {QCPScatterStyle::ssCircle, series.color, Qt::transparent, 9};
    }
    return {};
}

void setScale(QCPAxis& axis, const PointAxis& wanted) {
    axis.setLabel(wanted.name);
    const bool isLog = wanted.scale == PointAxis::Scale::Logarithmic;
    axis.setScaleType(isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (isLog)
        axis.setTicker(QSharedPointer<QCPAxisTickerLog>::create());
    else
        axis.setTicker(QSharedPointer<QCPAxisTicker>::create());
    axis.setNumberFormat(isLog ? "gb" : "g");
    axis.setNumberPrecision(isLog ? 2 : 5);
}

void leaveMargin(QCPAxis& axis, QCPAxis::ScaleType type) {
    const QCPRange range = axis.range();
    if (type == QCPAxis::stLogarithmic) {
        const double factor = std::pow(std::max(range.upper / range.lower, 1.05), 0.08);
        axis.setRange(range.lower / factor, range.upper * factor);
    } else {
        const double margin = range.size() > 0 ? 0.06 * range.size() : 1;
        axis.setRange(range.lower - margin, range.upper + margin);
    }
}

}  // namespace

PointsChart::PointsChart(const QString& title, QWidget* parent) : MeasureChart(title, parent) {
    readWith([this](const QPoint& at) { return readingAt(at); });
    connect(&plot(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        const Near near = nearestTo(event->position());
        if (near.series >= 0 && event->button() == Qt::LeftButton)
            Q_EMIT pointClicked(near.series, near.point);
    });
}

void PointsChart::setSeries(std::vector<PointSeries> series, const PointAxis& x, const PointAxis& y) {
    const auto isDrawable = [&](const QPointF& point) {
        return std::isfinite(point.x()) && std::isfinite(point.y()) &&
               (x.scale == PointAxis::Scale::Linear || point.x() > 0) &&
               (y.scale == PointAxis::Scale::Linear || point.y() > 0);
    };
    m_series = std::move(series);
    for (PointSeries& each : m_series) {
        std::size_t kept = 0;
        QStringList labels;
        for (std::size_t i = 0; i < each.points.size(); ++i) {
            if (!isDrawable(each.points[i])) continue;
            each.points[kept++] = each.points[i];
            labels << each.labels.value(qsizetype(i));
        }
        each.points.resize(kept);
        each.labels = labels;
    }
    plot().clearPlottables();
    setScale(*plot().xAxis, x);
    setScale(*plot().yAxis, y);
    std::vector<LegendRow::Item> items;
    for (const PointSeries& each : m_series) {
        draw(each);
        if (!each.name.isEmpty() && !each.points.empty()) items.push_back({each.color, each.name, {}});
    }
    legend().setVisible(items.size() > 1);
    legend().setItems(std::move(items));
    plot().rescaleAxes();
    for (QCPAxis* axis : {plot().xAxis, plot().yAxis}) leaveMargin(*axis, axis->scaleType());
    noteTable(x, y);
    plot().replot(QCustomPlot::rpQueuedReplot);
}

void PointsChart::draw(const PointSeries& series) {
    auto* curve = new QCPCurve(plot().xAxis, plot().yAxis);
    QVector<double> xs, ys;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        if (series.mark == PointSeries::Mark::Steps && i > 0) {
            xs << series.points[i].x();
            ys << series.points[i - 1].y();
        }
        xs << series.points[i].x();
        ys << series.points[i].y();
    }
    curve->setData(xs, ys);
    const bool isLine = series.mark == PointSeries::Mark::Line || series.mark == PointSeries::Mark::Steps;
    curve->setLineStyle(isLine ? QCPCurve::lsLine : QCPCurve::lsNone);
    curve->setPen(QPen(series.color, 1.6));
    curve->setScatterStyle(styleOf(series));
}

void PointsChart::noteTable(const PointAxis& x, const PointAxis& y) {
    ChartTable table{{tr("series"), tr("point"), x.name, y.name}, {}};
    for (const PointSeries& each : m_series)
        for (std::size_t i = 0; i < each.points.size(); ++i)
            table.rows.push_back({each.name, each.labels.value(qsizetype(i)),
                                  QString::number(each.points[i].x(), 'g', 9),
                                  QString::number(each.points[i].y(), 'g', 9)});
    setTable(std::move(table));
}

QPointF PointsChart::pixelOf(int series, int point) const {
    const QPointF& at = m_series.at(std::size_t(series)).points.at(std::size_t(point));
    return {plot().xAxis->coordToPixel(at.x()), plot().yAxis->coordToPixel(at.y())};
}

PointsChart::Near PointsChart::nearestTo(const QPointF& at) const {
    Near nearest;
    double least = kReach;
    // From the last one on: what was drawn on top.
    for (int series = int(m_series.size()) - 1; series >= 0; --series)
        for (int point = 0; point < int(m_series[std::size_t(series)].points.size()); ++point) {
            const QPointF away = pixelOf(series, point) - at;
            const double distance = std::hypot(away.x(), away.y());
            if (distance < least) {
                least = distance;
                nearest = {series, point};
            }
        }
    return nearest;
}

QString PointsChart::readingAt(const QPointF& at) const {
    const Near near = nearestTo(at);
    if (near.series < 0) return {};
    const PointSeries& series = m_series[std::size_t(near.series)];
    const QPointF& point = series.points[std::size_t(near.point)];
    const QString label = series.labels.value(near.point);
    if (!label.isEmpty()) return label;
    return QString("%1  %2, %3")
        .arg(series.name, significantText(point.x(), 5), significantText(point.y(), 5));
}

}  // namespace reelgrid::widgets

#pragma once

#include <QColor>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <vector>

#include "widgets/measure/measure_chart.h"

namespace reelgrid::widgets {

/// Points of one kind.
struct PointSeries {
    enum class Mark { Line, Steps, Dots, Squares, Rings };
    QString name;
    QColor color;
    Mark mark = Mark::Line;
    std::vector<QPointF> points{};
    QStringList labels{};  ///< what the pointer reads on each; fewer: their coordinates
};

/// An axis of such a chart.
struct PointAxis {
    enum class Scale { Linear, Logarithmic };
    QString name;
    Scale scale = Scale::Linear;
};

/// Points and curves over two numbers, which the pointer reads; a click on a point is told.
class PointsChart : public MeasureChart {
    Q_OBJECT

  public:
    explicit PointsChart(const QString& title, QWidget* parent = nullptr);
    /// On a logarithmic axis points at zero and below are left out.
    void setSeries(std::vector<PointSeries> series, const PointAxis& x, const PointAxis& y);
    [[nodiscard]] const std::vector<PointSeries>& series() const { return m_series; }
    /// Where a point is in the plot, in pixels.
    [[nodiscard]] QPointF pixelOf(int series, int point) const;

  Q_SIGNALS:
    void pointClicked(int series, int point);

  private:
    struct Near {
        int series = -1;
        int point = -1;
    };
    void draw(const PointSeries& series);
    void noteTable(const PointAxis& x, const PointAxis& y);
    [[nodiscard]] Near nearestTo(const QPointF& at) const;
    [[nodiscard]] QString readingAt(const QPointF& at) const;

    std::vector<PointSeries> m_series;
};

}  // namespace reelgrid::widgets

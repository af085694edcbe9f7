#pragma once

#include <QColor>
#include <QString>
#include <optional>
#include <vector>

#include "widgets/measure/measure_chart.h"

namespace reelgrid::widgets {

struct MeasuredBar {
    QString name;
    QColor color;
    double value = 0;
    std::optional<double> low, high;  ///< the whisker: where the middle of the measurements lies
    QString text;                     ///< behind the bar
    enum class Fill { Full, Hollow } fill = Fill::Full;
};

/// Bars to the right, the first on top, with whiskers.
class BarsChart : public MeasureChart {
    Q_OBJECT

  public:
    explicit BarsChart(const QString& title, QWidget* parent = nullptr);
    /// `axis`: what the length is.
    void setBars(const std::vector<MeasuredBar>& bars, const QString& axis);
    [[nodiscard]] int barCount() const { return m_count; }

  private:
    void addText(double row, double end, const QString& text);

    int m_count = 0;
};

}  // namespace reelgrid::widgets

#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/charts/chart_table.h"
#include "widgets/charts/row_names.h"

class QCPItemText;
class QCustomPlot;

namespace reelgrid::widgets {

/// One horizontal bar; to the left where the value is below zero.
struct Bar {
    QString name;
    QColor color;
    double value = 0;
    std::optional<double> from{}, upTo{};  ///< of its spread: a thin line; without `from` from the bar's end
    QString text{};                        ///< after the bar; empty: the value
    QString reading{};                     ///< while the mouse is on it; empty: name and text
    enum class Fill { Full, Hollow } fill = Fill::Full;
};

/// Bars below one another, the first on top, each with its name before and its value after it. GUI thread.
class BarPlot : public QWidget {
    Q_OBJECT

  public:
    explicit BarPlot(QWidget* parent = nullptr);

    void setBars(std::vector<Bar> bars, const QString& axis);
    /// A line across all bars, as at a speed-up of 1; nothing: none.
    void setMark(std::optional<double> value);
    [[nodiscard]] const std::vector<Bar>& bars() const { return m_bars; }
    [[nodiscard]] QCustomPlot* plot() const { return m_plot; }
    [[nodiscard]] ChartTable table() const;

  private:
    void redraw();
    void makeRoomForTexts();
    [[nodiscard]] QString readingAt(const QPoint& at) const;

    std::vector<Bar> m_bars;
    QString m_axis;
    std::optional<double> m_mark;
    QCustomPlot* m_plot;
    RowNames m_names;
    std::vector<QCPItemText*> m_texts;
};

}  // namespace reelgrid::widgets

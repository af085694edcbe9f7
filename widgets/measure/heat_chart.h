#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "widgets/measure/measure_chart.h"

class QCPColorMap;
class QCPColorScale;
class QMouseEvent;

namespace reelgrid::widgets {

/// From what to what the colours go, in powers of ten.
struct HeatRange {
    double low = 0;   ///< > 0
    double high = 0;  ///< ≥ low; 0: there is nothing to show

    /// Takes in the numbers above zero.
    void add(const std::vector<double>& values);
};

/// Cells of one number each; NaN is a grey one, and zero has the lowest colour.
struct HeatCells {
    int columns = 0, rows = 0;
    std::vector<double> values;  ///< row · columns + column
    QString columnName, rowName;
    QStringList rowLabels;  ///< of the first rows; the others are counted from 0
    QString colorName;      ///< of the number
    std::function<QString(int column, int row)> reading;
};

/// A heat map, the first row on top. The pointer reads a cell, a click is told.
class HeatChart : public MeasureChart {
    Q_OBJECT

  public:
    explicit HeatChart(const QString& title, QWidget* parent = nullptr);
    void setCells(HeatCells cells, const HeatRange& range);
    [[nodiscard]] const HeatCells& cells() const { return m_cells; }
    /// Where a cell's middle is in the plot, in pixels.
    [[nodiscard]] QPointF pixelOf(int column, int row) const;

  Q_SIGNALS:
    void cellClicked(int column, int row);

  private:
    /// Whether there is a cell; which.
    [[nodiscard]] bool cellAt(const QPointF& at, int& column, int& row) const;
    void noteTable();
    void read(const QMouseEvent& event);

    HeatCells m_cells;
    QCPColorScale* m_scale;
    QCPColorMap* m_map;
};

}  // namespace reelgrid::widgets

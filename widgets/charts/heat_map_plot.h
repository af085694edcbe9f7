#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/charts/chart_table.h"

class QCPColorMap;
class QCPColorScale;
class QCustomPlot;

namespace reelgrid::widgets {

/// A colour and what it stands for.
struct HeatCategory {
    QString name;
    QColor color;
};

/// From what to what the colours go, in powers of ten.
struct HeatRange {
    double low = 0;   ///< > 0
    double high = 0;  ///< ≥ low; 0: there is nothing to show

    /// Takes in the numbers above zero.
    void add(const std::vector<double>& values);
};

/// Cells of one number each; the first row is on top.
struct HeatMapCells {
    int columns = 0, rows = 0;
    std::vector<double> values;  ///< row · columns + column; not finite: a grey cell
    QString columnName, rowName, valueName;
    QStringList rowLabels{};  ///< of the first rows; those below are counted from 0
    enum class Scale { Linear, Log };
    Scale scale = Scale::Linear;
    std::optional<HeatRange>
        range{};  ///< of a logarithmic scale, where several maps share one; else their own
    /// Where there are any, values are indices of them instead of amounts.
    std::vector<HeatCategory> categories{};

    [[nodiscard]] double at(int column, int row) const {
        return values[std::size_t(row) * std::size_t(columns) + std::size_t(column)];
    }
};

/// Draws cells, reads them where the mouse is, and says which one was clicked. GUI thread.
class HeatMapPlot : public QWidget {
    Q_OBJECT

  public:
    explicit HeatMapPlot(QWidget* parent = nullptr);

    void setCells(HeatMapCells cells);
    [[nodiscard]] const HeatMapCells& cells() const { return m_cells; }
    /// What a cell says; without one its place and its value.
    void setReading(std::function<QString(int column, int row)> reading) { m_reading = std::move(reading); }
    [[nodiscard]] QString readingOf(int column, int row) const;
    [[nodiscard]] QCustomPlot* plot() const { return m_plot; }
    /// A line a row, a column a column.
    [[nodiscard]] ChartTable table() const;

  Q_SIGNALS:
    void cellClicked(int column, int row);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    /// Whether a pixel of the plot is on a cell, and on which.
    [[nodiscard]] bool cellAt(const QPoint& at, int& column, int& row) const;
    void color();
    void labelRows();

    HeatMapCells m_cells;
    std::function<QString(int, int)> m_reading;
    QCustomPlot* m_plot;
    QCPColorMap* m_map;
    QCPColorScale* m_scale;
};

}  // namespace reelgrid::widgets

#pragma once

#include <QWidget>

#include "core/measurements/kernel_results.h"

class QComboBox;

namespace reelgrid::widgets {

class BarsChart;
class PointsChart;
class ResultTable;

/// What `bench attention` measured: bars of one figure, the roofline, and all figures with the errors. One
/// input at a time.
class KernelView : public QWidget {
    Q_OBJECT

  public:
    explicit KernelView(measurements::KernelResults results, QWidget* parent = nullptr);

  private:
    [[nodiscard]] std::vector<const measurements::KernelRow*> shownRows() const;
    void show();
    void drawBars(const std::vector<const measurements::KernelRow*>& rows);
    void drawRoofline(const std::vector<const measurements::KernelRow*>& rows);
    void fillTable(const std::vector<const measurements::KernelRow*>& rows);

    measurements::KernelResults m_results;
    QComboBox* m_input;
    QComboBox* m_figure;
    BarsChart* m_bars;
    PointsChart* m_roofline;
    ResultTable* m_table;
};

}  // namespace reelgrid::widgets

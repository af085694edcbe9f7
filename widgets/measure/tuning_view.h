#pragma once

#include <QWidget>

#include "core/measurements/tuning_results.h"

class QLabel;
class QPushButton;

namespace reelgrid::widgets {

class PointsChart;
class ResultTable;

/// What `tune` found: quality over time, predicted and measured. A click on a clip that was measured, or on
/// its row and the button, takes its policy.
class TuningView : public QWidget {
    Q_OBJECT

  public:
    explicit TuningView(measurements::TuningResults results, QWidget* parent = nullptr);

  Q_SIGNALS:
    void policyChosen(const QString& name, const reelgrid::protocol::AttentionPolicy& policy);

  private:
    void draw();
    void fillTable();
    void choose(int render);

    measurements::TuningResults m_results;
    PointsChart* m_chart;
    ResultTable* m_table;
    QPushButton* m_use;
    QLabel* m_taken;
    /// For each series of the chart the renders that its points are; empty: predictions.
    std::vector<std::vector<int>> m_rendersOf;
};

}  // namespace reelgrid::widgets

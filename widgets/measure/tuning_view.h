#pragma once

#include <QWidget>

#include "core/measurements/tuning_results.h"

class QLabel;
class QPushButton;

namespace reelgrid::widgets {

class PointsChart;
class ResultTable;

/// What `tune` found: quality over time, predicted and measured. A click on a clip that was measured, or on
/// its row and the button, takes its policy; one on a ring the policy that it was predicted for. Of the curve
/// only the figures are kept: a click there offers to tune for them.
class TuningView : public QWidget {
    Q_OBJECT

  public:
    explicit TuningView(measurements::TuningResults results, QWidget* parent = nullptr);

  Q_SIGNALS:
    void policyChosen(const QString& name, const reelgrid::protocol::AttentionPolicy& policy);
    /// As `tune --budget` takes it.
    void budgetChosen(const QString& budget);

  private:
    void draw();
    void fillTable();
    enum class Figures { Measured, Predicted };
    void choose(int render, Figures figures = Figures::Measured);
    void offerToTuneFor(const measurements::TuningPoint& point);
    void clicked(int series, int point);

    measurements::TuningResults m_results;
    PointsChart* m_chart;
    ResultTable* m_table;
    QPushButton* m_use;
    QLabel* m_taken;
    QPushButton* m_tune;
    QString m_offered;                                 // a budget
    std::vector<measurements::TuningPoint> m_onCurve;  // those that are drawn
    /// For each series of the chart the renders that its points are about; of the curve none.
    std::vector<std::vector<int>> m_rendersOf;
};

}  // namespace reelgrid::widgets

#pragma once

#include <QObject>
#include <QTimer>

#include "app/studio/comparison.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::studio {

/// Brings what is measured of the comparison's clips to the charts: when it changes, and once for changes
/// that come together. GUI thread.
class ComparisonCharts : public QObject {
    Q_OBJECT

  public:
    ComparisonCharts(Comparison* comparison, widgets::TimingChart* timing, widgets::CoherenceChart* coherence,
                     QObject* parent = nullptr);

  private:
    void draw();

    Comparison* m_comparison;
    widgets::TimingChart* m_timing;
    widgets::CoherenceChart* m_coherence;
    QTimer m_due;
};

}  // namespace reelgrid::studio

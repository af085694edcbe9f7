#pragma once

#include <QObject>
#include <QTimer>

#include "app/studio/comparison.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::studio {

class Playback;

/// Brings what is measured of the comparison's clips to the charts: when it changes, and once for changes
/// that come together. GUI thread.
class ComparisonCharts : public QObject {
    Q_OBJECT

  public:
    /// Without a playback curves are at their clips' own times.
    ComparisonCharts(Comparison* comparison, widgets::TimingChart* timing, widgets::CoherenceChart* coherence,
                     const Playback* playback = nullptr, QObject* parent = nullptr);

  private:
    void draw();

    Comparison* m_comparison;
    widgets::TimingChart* m_timing;
    widgets::CoherenceChart* m_coherence;
    const Playback* m_playback;
    QTimer m_due;
};

}  // namespace reelgrid::studio

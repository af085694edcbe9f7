#pragma once

#include <QObject>
#include <map>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "widgets/charts/coherence_chart.h"

namespace reelgrid::studio {

/// Brings frames of the comparison's clips to the chart's strips. Reads them in the background, and only once
/// the strips are on show. GUI thread.
class Thumbnails : public QObject {
    Q_OBJECT

  public:
    Thumbnails(Comparison* comparison, widgets::CoherenceChart* chart, QObject* parent = nullptr);

  private:
    using Pictures = std::vector<widgets::ClipStrip::Picture>;
    void update();
    void read(const ComparedClip& clip);
    static Pictures picturesOf(const std::filesystem::path& clip, double offsetSeconds,
                               const std::stop_token& stop);

    Comparison* m_comparison;
    widgets::CoherenceChart* m_chart;
    std::map<int, Pictures> m_pictures;  // of each clip that was begun
    BackgroundThread m_background{BackgroundThread::Priority::Low};
};

}  // namespace reelgrid::studio

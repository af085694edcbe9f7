#pragma once

#include <QObject>
#include <map>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "widgets/charts/coherence_chart.h"

namespace reelgrid::studio {

class Playback;

/// Brings frames of the comparison's clips to the chart's strips. Reads them in the background, and only once
/// the strips are on show. GUI thread.
class Thumbnails : public QObject {
    Q_OBJECT

  public:
    Thumbnails(Comparison* comparison, widgets::CoherenceChart* chart, const Playback* playback,
               QObject* parent = nullptr);

  private:
    using Pictures = std::vector<widgets::ClipStrip::Picture>;
    void update();
    void read(const ComparedClip& clip);
    static Pictures picturesOf(const std::filesystem::path& clip, const std::stop_token& stop);
    [[nodiscard]] Pictures inTime(const ComparedClip& clip) const;

    Comparison* m_comparison;
    widgets::CoherenceChart* m_chart;
    const Playback* m_playback;
    std::map<int, Pictures> m_pictures;  // of each clip that was begun, at its own times
    BackgroundThread m_background{BackgroundThread::Priority::Low};
};

}  // namespace reelgrid::studio

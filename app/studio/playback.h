#pragma once

#include <QObject>
#include <map>

#include "app/studio/comparison.h"
#include "app/studio/view_export.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

/// Brings the comparison to the screen: every clip on disk is played, and what the player composes goes to
/// the tiles and the chart's playhead. How clips are held together and shifted is the grid's look. GUI
/// thread.
class Playback : public QObject {
    Q_OBJECT

  public:
    Playback(Comparison* comparison, widgets::VideoGrid* grid, widgets::CoherenceChart* chart,
             QObject* parent = nullptr);

    [[nodiscard]] widgets::Player* player() { return &m_player; }
    [[nodiscard]] const widgets::Player* player() const { return &m_player; }
    void setFrameNumbers(bool shown);
    /// What is on screen, to be written; and each tile's picture as it was decoded, by a file name for it.
    [[nodiscard]] SeenView seenView() const;
    [[nodiscard]] std::vector<std::pair<QString, media::FramePtr>> picturesOnShow() const;
    /// Frame rate, size and so on of the clip, once it is open.
    [[nodiscard]] const media::ClipInfo* info(int id) const;

    /// Where in its own time the clip is; nothing while it isn't open or isn't shown moving.
    [[nodiscard]] std::optional<double> ownSeconds(int id) const;
    /// When each of the clip's frames is shown, as the player has it; its own times while it is not open.
    [[nodiscard]] std::vector<double> frameTimes(const ComparedClip& clip) const;

  Q_SIGNALS:
    void clipFailed(const QString& message);
    /// A clip is shown as it was encoded, though its frames had been kept.
    void framesNotKept(const QString& message);

  private:
    void syncClip(int id);
    void applyLook();
    void showTiles();
    void showFrames();

    Comparison* m_comparison;
    widgets::VideoGrid* m_grid;
    widgets::CoherenceChart* m_chart;
    widgets::Player m_player;
    std::map<int, int> m_playerClips;  // by the comparison's id
};

}  // namespace reelgrid::studio

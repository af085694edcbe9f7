#pragma once

#include <QObject>

#include "app/studio/comparison.h"
#include "app/studio/settings.h"
#include "widgets/sound/sound_player.h"

namespace reelgrid::widgets {
class VideoGrid;
}

namespace reelgrid::studio {

class Actions;
class Playback;

/// Lets the active tile's sound be heard in step with the playhead: of the selected tile, else of the one
/// that is shown alone, else of the first one. At another speed, backwards and while a frame is waited for it
/// is silent. GUI thread.
class ClipSound : public QObject {
    Q_OBJECT

  public:
    ClipSound(Comparison* comparison, Playback* playback, widgets::VideoGrid* grid,
              widgets::SoundSinkOpener opener, QObject* parent = nullptr);

    void connectTo(Actions& actions);
    [[nodiscard]] widgets::SoundPlayer& player() { return m_player; }
    /// What would be heard now.
    [[nodiscard]] widgets::HeardClip heard() const;

  Q_SIGNALS:
    void failed(const QString& message);

  private:
    void follow();
    void changeVolume(int percent);
    [[nodiscard]] const ComparedClip* active() const;

    Comparison* m_comparison;
    Playback* m_playback;
    widgets::VideoGrid* m_grid;
    Settings m_settings;
    widgets::SoundPlayer m_player;
};

}  // namespace reelgrid::studio

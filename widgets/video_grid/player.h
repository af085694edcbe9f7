#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <vector>

#include "widgets/video_grid/frame_source.h"
#include "widgets/video_grid/playback_clock.h"

namespace reelgrid::widgets {

/// One clip's part of a composed picture.
struct ComposedTile {
    int clip = 0;         ///< as addClip() returned it
    int frameIndex = -1;  ///< of the clip; -1 while it is being opened, or can't be
    media::FramePtr frame;
    QString message;  ///< shown in place of the picture when there is none
};

/// All clips at one time.
struct Composition {
    double seconds = 0;
    std::vector<ComposedTile> tiles;
};

/// Plays clips as one: at every moment what was last composed shows all of them at the same time, exactly.
/// Where a frame is missing the playhead holds until it is there; clips that failed are left out of that.
/// Lives on the GUI thread and never waits.
class Player : public QObject {
    Q_OBJECT

  public:
    explicit Player(FrameSource::Opener opener, QObject* parent = nullptr);
    ~Player() override;

    /// At time t the clip shows its own time t + offset.
    int addClip(const std::filesystem::path& path, double offsetSeconds = 0);
    void removeClip(int clip);
    void clear();
    [[nodiscard]] const media::ClipInfo* info(int clip) const;
    void setCacheBytes(std::size_t total);

    [[nodiscard]] const PlaybackClock& clock() const { return m_clock; }
    [[nodiscard]] const Composition& composition() const { return m_composition; }
    /// Ticks at which a frame was not there in time since the last seek.
    [[nodiscard]] int lateTicks() const { return m_lateTicks; }
    [[nodiscard]] bool waiting() const { return m_waiting; }

    void play();
    void pause();
    void togglePlay();
    void seek(double seconds);
    void seekToStop(int stop);
    void step(int stops);
    void setSpeed(double factor);
    void setLoop(LoopMode mode);
    void setRange(double a, double b);

  Q_SIGNALS:
    void composed(const reelgrid::widgets::Composition& composition);
    void timelineChanged();
    void stateChanged();  ///< playing, loop, speed, waiting
    void clipFailed(int clip, const QString& message);

  private:
    struct Entry {
        int id = 0;
        double offsetSeconds = 0;
        std::unique_ptr<FrameSource> source;
    };
    [[nodiscard]] const Entry* find(int clip) const;
    std::unique_ptr<FrameSource> makeSource(int id, const std::filesystem::path& path);
    void shareCache();
    void rebuildTimeline();
    void requestFrames();
    void update();  ///< composes when all is there, else holds; arms the timer
    [[nodiscard]] bool compose(double seconds, Composition& into) const;
    void armTimer();

    FrameSource::Opener m_opener;
    QElapsedTimer m_time;
    PlaybackClock m_clock;
    QTimer m_timer;
    std::vector<Entry> m_clips;
    Composition m_composition;
    PlayDirection m_direction = PlayDirection::Forward;
    std::size_t m_cacheBytes;
    int m_nextId = 1;
    int m_lateTicks = 0;
    bool m_waiting = false;
};

}  // namespace reelgrid::widgets

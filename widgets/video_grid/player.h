#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/view_state.h"
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
    /// Of clips that are added from now on: opens their frames without loss (frame_source.h).
    void setExactOpener(FrameSource::Opener exact) { m_exact = std::move(exact); }

    /// At time t the clip shows its own time t + offset.
    int addClip(const std::filesystem::path& path, double offsetSeconds = 0);
    void removeClip(int clip);
    void clear();
    [[nodiscard]] const media::ClipInfo* info(int clip) const;
    /// When each of its frames is shown, in the comparison's time: shifted and held together as the clip is.
    /// Empty while it is not open.
    [[nodiscard]] std::vector<double> frameTimes(int clip) const;
    /// Where in its own time the clip is when its frame of the composed picture is shown: the same as its
    /// times in files. Nothing while it is not open or has no frame there.
    [[nodiscard]] std::optional<double> ownSeconds(int clip) const;
    /// Moves a clip against the others. What was decoded stays.
    void setOffset(int clip, const session::ClipOffset& offset);
    [[nodiscard]] session::ClipOffset offset(int clip) const;
    void setSync(session::SyncBy sync);
    [[nodiscard]] session::SyncBy sync() const { return m_sync; }
    /// Of all clips' decoded frames together.
    void setCacheBytes(std::size_t total);
    [[nodiscard]] std::size_t cacheBytes() const { return m_cacheBytes; }
    [[nodiscard]] std::size_t cachedBytes() const;

    [[nodiscard]] const PlaybackClock& clock() const { return m_clock; }
    [[nodiscard]] const Composition& composition() const { return m_composition; }
    /// Ticks at which a frame was not there in time since the last seek.
    [[nodiscard]] int lateTicks() const { return m_lateTicks; }
    /// Stops that playing passed over since the last seek, because showing the one before took too long.
    [[nodiscard]] int skippedStops() const { return m_skippedStops; }
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
    void exactFailed(const QString& message);  ///< the clip is shown as it was encoded

  private:
    struct Entry {
        int id = 0;
        session::ClipOffset offset;
        std::unique_ptr<FrameSource> source;
    };
    [[nodiscard]] const Entry* find(int clip) const;
    [[nodiscard]] double indexRate() const;
    [[nodiscard]] TimedClip timed(const Entry& entry) const;
    std::unique_ptr<FrameSource> makeSource(int id, const std::filesystem::path& path);
    void shareCache();
    void rebuildTimeline();
    void requestFrames();
    [[nodiscard]] int readNow() const;
    void countSkipped(int stop);
    void update();  ///< composes when all is there, else holds; arms the timer
    [[nodiscard]] bool compose(double seconds, Composition& into) const;
    void armTimer();

    FrameSource::Opener m_opener, m_exact;
    QElapsedTimer m_time;
    PlaybackClock m_clock;
    QTimer m_timer;
    std::vector<Entry> m_clips;
    Composition m_composition;
    PlayDirection m_direction = PlayDirection::Forward;
    session::SyncBy m_sync = session::SyncBy::Time;
    std::size_t m_cacheBytes;
    int m_nextId = 1;
    int m_lateTicks = 0;
    int m_skippedStops = 0;
    int m_lastStop = -1;  // composed while playing; -1: nothing to count from
    bool m_waiting = false;
};

}  // namespace reelgrid::widgets

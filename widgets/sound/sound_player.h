#pragma once

#include <QObject>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "widgets/sound/sound_follower.h"
#include "widgets/sound/sound_sink.h"

namespace reelgrid::media {
class SoundReader;
}

namespace reelgrid::widgets {

/// What is to be heard.
struct HeardClip {
    std::filesystem::path clip;  ///< empty: nothing
    SoundPlace place;            ///< by SoundPlayer::now()
};

/// Plays one clip's sound in step with a playhead that it is told of. Decoding and the device are on a thread
/// of its own; the device is opened once there is something to be heard. Lives on the GUI thread.
class SoundPlayer : public QObject {
    Q_OBJECT

  public:
    explicit SoundPlayer(SoundSinkOpener opener, QObject* parent = nullptr);
    ~SoundPlayer() override;

    /// Monotonic seconds.
    [[nodiscard]] static double now();

    void follow(const HeardClip& heard);
    void setMuted(bool muted);
    /// 0 to 1.
    void setVolume(double volume);
    [[nodiscard]] bool muted() const;
    [[nodiscard]] double volume() const;

  Q_SIGNALS:
    /// There is no device, or a clip's sound can't be decoded: said once of each.
    void failed(const QString& message);

  private:
    struct Wanted {
        HeardClip heard;
        bool muted = false;
        double volume = 1;
        [[nodiscard]] bool isAudible() const {
            return heard.place.moves && !muted && volume > 0 && !heard.clip.empty();
        }
    };
    void run(const std::stop_token& stop);
    bool openDevice();
    void openClip(const std::filesystem::path& clip);
    void playChunk(const Wanted& wanted);

    SoundSinkOpener m_opener;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    Wanted m_wanted;  // guarded by m_mutex
    // The thread's own:
    std::unique_ptr<SoundSink> m_sink;
    bool m_hasNoDevice = false;
    std::filesystem::path m_clip;
    std::unique_ptr<media::SoundReader> m_reader;
    SoundFollower m_follower;
    double m_deviceLatency = 0;  ///< of a sample that is heard as soon as it can be
    std::jthread m_thread;
};

}  // namespace reelgrid::widgets

#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "core/media/clip.h"
#include "widgets/video_grid/prefetch.h"

namespace reelgrid::widgets {

/// One clip read by its own thread: what the playhead asks for first, then ahead of it in playing order, into
/// a cache of bounded size. Where the same frames lie somewhere without loss a second thread, which gives way
/// to all others, puts those in the place of the decoded ones, so that a slow decoder keeps nothing waiting.
/// A clip that is slow, or broken, keeps nobody else waiting. Lives on the GUI thread; the signals arrive
/// there. Destruction waits for the frame being decoded.
class FrameSource : public QObject {
    Q_OBJECT

  public:
    /// What stands at one frame number: a picture, or why there is none.
    struct Picture {
        media::FramePtr frame;
        QString error;
    };
    using Opener = std::function<Result<std::unique_ptr<media::Clip>>(const std::filesystem::path&)>;

    /// `exact` may be empty; it opens the frames without loss, gives null where there are none and an error
    /// where there should be.
    FrameSource(std::filesystem::path path, std::size_t cacheBytes, Opener opener, Opener exact = {},
                QObject* parent = nullptr);
    ~FrameSource() override;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Nothing until opened() was signalled.
    [[nodiscard]] const media::ClipInfo* info() const { return m_info.get(); }
    /// Why the clip could not be opened; empty while that is not known.
    [[nodiscard]] const QString& error() const { return m_error; }

    void request(const PrefetchRequest& request);
    void setCacheBytes(std::size_t bytes);
    [[nodiscard]] std::size_t cachedBytes() const;
    /// The frame if it is in the cache; never waits for a decode.
    [[nodiscard]] std::optional<Picture> picture(int index) const;

  Q_SIGNALS:
    void opened();
    void failed(const QString& message);
    void pictureReady(int index);
    void pictureImproved(int index);
    void exactFailed(const QString& message);

  private:
    struct Shared;
    void run(const std::stop_token& stop, const Opener& opener);
    void decodeWanted(const std::stop_token& stop, media::Clip& clip);
    void improve(const std::stop_token& stop, const Opener& exact);
    void improveWanted(const std::stop_token& stop, media::Clip& clip);

    std::filesystem::path m_path;
    std::shared_ptr<const media::ClipInfo> m_info;
    QString m_error;
    std::unique_ptr<Shared> m_shared;
    std::jthread m_thread, m_exactThread;
};

}  // namespace reelgrid::widgets

#pragma once

#include <QObject>
#include <filesystem>

#include "app/studio/background_thread.h"
#include "core/session/session.h"

class QWidget;

namespace reelgrid::studio {

/// How much of a session a person let in.
enum class SessionPart { All, ClipsInside };

/// Reads and writes sessions in the background, and asks before clips from elsewhere are opened. GUI thread.
class SessionFiles : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of questions.
    SessionFiles(BackgroundThread* background, QWidget* window);

    /// A session, or a folder with one, or with clips that renders left there. Ends with loaded() or
    /// failed().
    void load(const std::filesystem::path& path);
    void save(const session::Session& session, const std::filesystem::path& file);
    /// Whether a path is meant as a session rather than a clip.
    static bool isSession(const std::filesystem::path& path);

  Q_SIGNALS:
    void loaded(const reelgrid::session::Session& session, const std::filesystem::path& file,
                reelgrid::studio::SessionPart part);
    void saved(const std::filesystem::path& file, const reelgrid::session::Session& session);
    void failed(const QString& message);

  private:
    void askAboutOutside(const session::LoadedSession& read, const std::filesystem::path& file);

    BackgroundThread* m_background;
    QWidget* m_window;
};

}  // namespace reelgrid::studio

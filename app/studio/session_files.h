#pragma once

#include <QObject>
#include <filesystem>

#include "app/studio/background_thread.h"
#include "core/session/session.h"

class QWidget;

namespace reelgrid::studio {

/// Reads and writes sessions in the background, and asks before clips from elsewhere are opened. GUI thread.
class SessionFiles : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of questions.
    SessionFiles(BackgroundThread* background, QWidget* window);

    /// Ends with loaded() or failed().
    void load(const std::filesystem::path& file);
    void save(const session::Session& session, const std::filesystem::path& file);
    /// Whether a path is meant as a session rather than a clip.
    static bool isSession(const std::filesystem::path& path) { return path.extension() == ".json"; }

  Q_SIGNALS:
    void loaded(const reelgrid::session::Session& session, const QString& file);
    void saved(const QString& file);
    void failed(const QString& message);

  private:
    void askAboutOutside(const session::LoadedSession& read, const QString& file);

    BackgroundThread* m_background;
    QWidget* m_window;
};

}  // namespace reelgrid::studio

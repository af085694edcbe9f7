#pragma once

#include <QLockFile>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/studio/background_thread.h"
#include "app/studio/session_history.h"
#include "core/session/unsaved_work.h"

namespace reelgrid::studio {

/// Writes what is unsaved into a file of this window's own, soon after each change, so that a crash loses
/// nothing; and finds what an earlier window left there. GUI thread; writes in the background.
class UnsavedWorkKeeper : public QObject {
    Q_OBJECT

  public:
    explicit UnsavedWorkKeeper(const SessionHistory* history, QObject* parent = nullptr);

    /// The newest that no window keeps any more; ends with found(), or with nothing.
    void lookForLeftWork();
    /// What was found is wanted no more.
    void forgetFound();
    /// The window is closing: what is unsaved stays for the next one, else nothing does. Fails where it can't
    /// be written; it is kept on then, as the window may stay open. Blocks on the disk.
    Result<void> close();
    [[nodiscard]] const std::optional<session::UnsavedWork>& leftWork() const { return m_found; }

  Q_SIGNALS:
    void found(const reelgrid::session::UnsavedWork& work);
    /// What is unsaved can't be written; told once until it can again.
    void failed(const QString& message);

  private:
    /// Of this window's own, its folder made and it locked.
    void chooseFile();
    void keepSoon();
    void keep();
    void tellFailure(const Result<void>& kept);

    const SessionHistory* m_history;
    std::filesystem::path m_file;
    std::unique_ptr<QLockFile> m_lock;
    std::optional<session::UnsavedWork> m_found;
    std::filesystem::path m_foundFile;
    QTimer m_due;
    bool m_isFailureTold = false;
    std::unique_ptr<BackgroundThread> m_background;
};

}  // namespace reelgrid::studio

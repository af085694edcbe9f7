#pragma once

#include <QObject>
#include <QPointer>
#include <map>
#include <memory>
#include <vector>

#include "app/studio/background_thread.h"
#include "app/studio/suite/suite_window.h"

namespace reelgrid::studio {

/// The windows of suites, one a file; keeps the votes about their clips beside them. GUI thread.
class SuiteWindows : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of theirs.
    SuiteWindows(BackgroundThread* background, QWidget* window);

    /// In place of what the file showed before.
    void show(const OpenedSuite& suite);
    /// Those that are open.
    [[nodiscard]] std::vector<SuiteWindow*> windows() const;

  Q_SIGNALS:
    void shown(const std::filesystem::path& file);
    void sessionRequested(const std::filesystem::path& session);
    void blindTestRequested(const std::shared_ptr<reelgrid::studio::BlindClips>& clips);
    void failed(const QString& message);

  private:
    void keepVotes(const std::filesystem::path& file, const std::shared_ptr<SuiteVotes>& votes,
                   const suite::VoteChange& change);

    BackgroundThread* m_background;
    QWidget* m_window;
    std::vector<QPointer<SuiteWindow>> m_windows;
    /// By file, for the background thread: what waits outlives the window that it is of.
    std::map<std::filesystem::path, std::shared_ptr<suite::KeptVotes>> m_kept;
};

}  // namespace reelgrid::studio

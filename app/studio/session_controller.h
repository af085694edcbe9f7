#pragma once

#include <QObject>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "app/studio/recent_comparisons.h"
#include "app/studio/render_controller.h"
#include "app/studio/report_writer.h"
#include "app/studio/session_files.h"
#include "app/studio/shown_session.h"

namespace reelgrid::widgets {
class RequestEditor;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class EditorFiles;

/// Which session is on show, and in which file it is: opens, saves and closes it, and writes its report. A
/// comparison whose renders have ended is saved with its report, on show or not. GUI thread.
class SessionController : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of questions.
    SessionController(ShownSession shown, RenderController* renders, widgets::RequestEditor* editor,
                      EditorFiles* editorFiles, BackgroundThread* background, QWidget* window);

    /// Clips are added to the comparison, a session replaces it. Returns at once.
    void open(const std::vector<std::filesystem::path>& paths);
    /// Is given each path first, and says whether it takes it: what is neither clip nor session.
    void setOtherOpener(std::function<bool(const std::filesystem::path&)> opener) {
        m_otherOpener = std::move(opener);
    }
    /// A JSON file that nobody else knows.
    void openSession(const std::filesystem::path& file);
    void save(const std::filesystem::path& file);
    void saveReport(const std::filesystem::path& file);
    void close();

    [[nodiscard]] const ShownSession& shown() const { return m_shown; }
    /// Those of the results folder.
    [[nodiscard]] RecentComparisons& recent() { return m_recent; }
    void lookForRecent() { m_recent.look(m_renders->resultsFolder()); }
    /// Looks for them, and lets the person choose one to open.
    void chooseRecent();

  Q_SIGNALS:
    /// What to call the session on show; empty: it has no file.
    void nameChanged(const QString& name);
    void saved(const std::filesystem::path& file);
    void reportSaved(const std::filesystem::path& file);
    void failed(const QString& message);

  private:
    void show(const session::Session& opened, const std::filesystem::path& file, SessionPart part);
    void showNew();
    void showName();
    void saveSettled(const RenderedComparison& settled, bool onShow);

    ShownSession m_shown;
    std::function<bool(const std::filesystem::path&)> m_otherOpener;
    std::filesystem::path m_file;  // of the session on show; empty: it has none yet
    RenderController* m_renders;
    widgets::RequestEditor* m_editor;
    EditorFiles* m_editorFiles;
    QWidget* m_window;
    SessionFiles* m_files;
    ReportWriter* m_reports;
    RecentComparisons m_recent;
};

}  // namespace reelgrid::studio

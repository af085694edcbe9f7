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
#include "app/studio/session_history.h"
#include "app/studio/shown_session.h"
#include "core/session/unsaved_work.h"

namespace reelgrid::widgets {
class RequestEditor;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class EditorFiles;

/// Which session is on show, and in which file it is: opens, saves and closes it, takes changes back, and
/// writes its report. A comparison whose renders have ended is saved with its report, on show or not. GUI
/// thread.
class SessionController : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of questions. `isSettled` says whether every clip on show is open, or can't be.
    SessionController(ShownSession shown, std::function<bool()> isSettled, RenderController* renders,
                      widgets::RequestEditor* editor, EditorFiles* editorFiles, BackgroundThread* background,
                      QWidget* window);

    /// Clips are added to the comparison, a session replaces it. Returns at once.
    void open(const std::vector<std::filesystem::path>& paths);
    /// A comparison that comes with the program. It belongs to nobody: saving it asks where to.
    enum class Demo { Backends, FourSteps };
    void openDemo(Demo which = Demo::Backends);
    /// What a window left unsaved, with the file that it belongs to.
    void openUnsaved(const session::UnsavedWork& work);
    /// Is given each path first, and says whether it takes it: what is neither clip nor session.
    void setOtherOpener(std::function<bool(const std::filesystem::path&)> opener) {
        m_otherOpener = std::move(opener);
    }
    /// A JSON file that nobody else knows.
    void openSession(const std::filesystem::path& file);
    /// With the votes that others have put into the file since it was opened or saved here; a person is asked
    /// before other things of theirs are overwritten.
    void save(const std::filesystem::path& file);
    /// In place of a dialog.
    void setChangedFileQuestion(SessionFiles::ChangedFileQuestion question) {
        m_files->setChangedFileQuestion(std::move(question));
    }
    void saveReport(const std::filesystem::path& file);
    /// Opens clips anew that were replaced on disk, and says so: what is written next would be of other clips
    /// than those on show. False where there are none.
    bool reopenReplaced();
    /// Of a comparison whose report was written when its renders had settled: with what is known now.
    void renewReport(const RenderedComparison& settled);
    void close();

    [[nodiscard]] ShownSession& shown() { return m_shown; }
    [[nodiscard]] protocol::RenderRequest request() const;
    [[nodiscard]] SessionHistory& history() { return m_history; }
    /// Of the session on show; empty: it has none yet.
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }
    /// Those of the results folder.
    [[nodiscard]] RecentComparisons& recent() { return m_recent; }
    void lookForRecent() { m_recent.look(m_renders->resultsFolder()); }

  Q_SIGNALS:
    /// What to call the session on show; empty: it has no file.
    void nameChanged(const QString& name);
    /// A clip or a session that a person asked for.
    void opened(const std::filesystem::path& file);
    void saved(const std::filesystem::path& file);
    /// A person wants what is on show in another file than its own.
    void saveAsRequested();
    void reportSaved(const std::filesystem::path& file);
    void failed(const QString& message);

  private:
    void show(const session::Session& opened, const std::filesystem::path& file, SessionPart part);
    void putOnShow(const session::Session& session, const std::filesystem::path& file,
                   const std::filesystem::path& rendersInto);
    void showNew();
    void showState(const FiledSession& state);
    void setRequest(const protocol::RenderRequest& request);
    void tickBackendsOf(const session::Session& session);
    void setFile(const std::filesystem::path& file);
    [[nodiscard]] session::Session current() const;
    void showName();
    void noteSaved(const std::filesystem::path& file, const session::Session& written,
                   const std::vector<session::BlindVote>& added);
    void saveSettled(const RenderedComparison& settled, bool onShow);
    void writeReportOf(const session::Session& session, const RenderedComparison& settled);

    ShownSession m_shown;
    std::function<bool(const std::filesystem::path&)> m_otherOpener;
    std::filesystem::path m_file;  // of the session on show; empty: it has none yet
    RenderController* m_renders;
    widgets::RequestEditor* m_editor;
    EditorFiles* m_editorFiles;
    SessionFiles* m_files;
    ReportWriter* m_reports;
    RecentComparisons m_recent;
    SessionHistory m_history;
};

}  // namespace reelgrid::studio

#include "app/studio/session_controller.h"

#include <QDialog>
#include <algorithm>

#include "app/studio/dialogs.h"
#include "app/studio/editor_files.h"
#include "app/studio/recent_list.h"
#include "app/studio/rendered_folder.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

SessionController::SessionController(ShownSession shown, RenderController* renders,
                                     widgets::RequestEditor* editor, EditorFiles* editorFiles,
                                     BackgroundThread* background, QWidget* window)
    : QObject(window),
      m_shown(shown),
      m_renders(renders),
      m_editor(editor),
      m_editorFiles(editorFiles),
      m_window(window),
      m_files(new SessionFiles(background, window)),
      m_reports(new ReportWriter(background, this)) {
    connect(m_renders, &RenderController::began, this, &SessionController::showNew);
    connect(m_renders, &RenderController::comparisonSettled, this, &SessionController::saveSettled);
    connect(m_renders, &RenderController::resultsFolderChanged, this, &SessionController::lookForRecent);
    connect(m_files, &SessionFiles::loaded, this, &SessionController::show);
    connect(m_files, &SessionFiles::saved, this, [this](const std::filesystem::path& file) {
        if (file == m_file) showName();
        lookForRecent();
        Q_EMIT saved(file);
    });
    connect(m_files, &SessionFiles::failed, this, &SessionController::failed);
    connect(m_reports, &ReportWriter::saved, this, &SessionController::reportSaved);
    connect(m_reports, &ReportWriter::failed, this, &SessionController::failed);
}

void SessionController::open(const std::vector<std::filesystem::path>& paths) {
    for (const auto& path : paths) {
        if (m_otherOpener && m_otherOpener(path)) continue;
        if (SessionFiles::isSession(path))
            openSession(path);
        else
            m_shown.add(std::filesystem::absolute(path));
    }
}

void SessionController::openSession(const std::filesystem::path& file) {
    m_files->load(std::filesystem::absolute(file));
}

void SessionController::show(const session::Session& opened, const std::filesystem::path& file,
                             SessionPart part) {
    m_shown.show(opened);
    // Clips that were kept out would be lost to a session that renders are added to.
    m_renders->setOpened(opened, part == SessionPart::All ? file : std::filesystem::path());
    m_editor->setRequest(opened.request);
    if (!m_editor->knowsModel(opened.request.model)) m_editorFiles->addModel(opened.request.model);
    m_file = file;
    showName();
}

void SessionController::showNew() {
    m_shown.clear();
    m_file.clear();
    showName();
}

void SessionController::showName() {
    if (m_file.empty()) return Q_EMIT nameChanged({});
    // The sessions of rendered comparisons have one name; their folders tell them apart.
    const bool isNamed = m_file.filename() != kSessionFile;
    const std::filesystem::path name = isNamed ? m_file : m_file.parent_path();
    Q_EMIT nameChanged(QString::fromStdString(name.filename().string()));
}

void SessionController::close() {
    showNew();
    m_renders->forget();
}

void SessionController::save(const std::filesystem::path& file) {
    m_file = file;
    m_files->save(m_shown.current(m_editor->request()), file);
}

void SessionController::saveReport(const std::filesystem::path& file) {
    m_reports->write({m_shown.current(m_editor->request()), m_renders->failedRenders(), m_file.parent_path()},
                     file, Foreign::Replace);
}

/// The comparison on show as it is shown; one that was left meanwhile as its renders left it.
void SessionController::saveSettled(const RenderedComparison& settled, bool onShow) {
    session::Session session = onShow ? m_shown.current(settled.session.request) : settled.session;
    // A clip whose backend was rendered again in vain is still there, though its tile shows the failure.
    for (const session::SessionClip& clip : settled.session.clips)
        if (std::ranges::find(session.clips, clip.path, &session::SessionClip::path) == session.clips.end())
            session.clips.push_back(clip);
    if (session.clips.empty()) return;
    if (onShow) m_file = settled.sessionFile;
    m_files->save(session, settled.sessionFile);
    const std::filesystem::path folder = settled.sessionFile.parent_path();
    m_reports->write({session, settled.failed, folder}, folder / kReportFile, Foreign::Keep);
}

void SessionController::chooseRecent() {
    lookForRecent();
    auto* list = new RecentList(&m_recent);
    QDialog* dialog = showInDialog(m_window, tr("Recent comparisons"), list);
    connect(list, &RecentList::chosen, this, [this, dialog](const QString& folder) {
        open({folder.toStdString()});
        dialog->close();
    });
}

}  // namespace reelgrid::studio

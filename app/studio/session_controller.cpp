#include "app/studio/session_controller.h"

#include <QSignalBlocker>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/studio/editor_files.h"
#include "app/studio/rendered_folder.h"
#include "core/base/resources.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

namespace {

std::filesystem::path demoSession(SessionController::Demo which) {
    const std::filesystem::path folder = resourceFolder() / "demo";
    return (which == SessionController::Demo::FourSteps ? folder / "four-steps" : folder) / kSessionFile;
}

bool isDemoSession(const std::filesystem::path& file) {
    using enum SessionController::Demo;
    return file == demoSession(Backends) || file == demoSession(FourSteps);
}

}  // namespace

SessionController::SessionController(ShownSession shown, std::function<bool()> isSettled,
                                     RenderController* renders, widgets::RequestEditor* editor,
                                     EditorFiles* editorFiles, BackgroundThread* background, QWidget* window)
    : QObject(window),
      m_shown(shown),
      m_renders(renders),
      m_editor(editor),
      m_editorFiles(editorFiles),
      m_files(new SessionFiles(background, window)),
      m_reports(new ReportWriter(background, this)),
      m_history(
          [this, isSettled = std::move(isSettled)]() -> std::optional<FiledSession> {
              if (!isSettled()) return std::nullopt;
              return FiledSession{current(), m_file};
          },
          [this](const FiledSession& state) { showState(state); }) {
    connect(m_renders, &RenderController::began, this, &SessionController::showNew);
    connect(m_renders, &RenderController::takenUp, this,
            [this](const session::Session& session, const std::filesystem::path& file) {
                putOnShow(session, file, file);
                m_files->noteFile(file);
            });
    connect(m_renders, &RenderController::comparisonSettled, this, &SessionController::saveSettled);
    connect(m_renders, &RenderController::resultsFolderChanged, this, [this] {
        lookForRecent();
        m_renders->interrupted().lookBelow(m_renders->resultsFolder());
    });
    connect(m_files, &SessionFiles::loaded, this, &SessionController::show);
    connect(m_files, &SessionFiles::saved, this, &SessionController::noteSaved);
    connect(m_files, &SessionFiles::saveAsRequested, this, &SessionController::saveAsRequested);
    connect(m_files, &SessionFiles::failed, this, &SessionController::failed);
    connect(m_editor, &widgets::RequestEditor::replaced, this,
            [this] { m_history.noteRequest(m_editor->request()); });
    connect(m_editor, &widgets::RequestEditor::edited, &m_history, &SessionHistory::lookSoon);
    connect(m_reports, &ReportWriter::saved, this, &SessionController::reportSaved);
    connect(m_reports, &ReportWriter::failed, this, &SessionController::failed);
}

void SessionController::open(const std::vector<std::filesystem::path>& paths) {
    for (const auto& path : paths) {
        if (m_otherOpener && m_otherOpener(path)) continue;
        const std::filesystem::path file = std::filesystem::absolute(path);
        if (SessionFiles::isSession(file)) {
            openSession(file);
            continue;
        }
        m_shown.add(file);
        m_renders->interrupted().lookIn(file.parent_path());
        Q_EMIT this->opened(file);
    }
}

void SessionController::openSession(const std::filesystem::path& file) {
    const std::filesystem::path path = std::filesystem::absolute(file);
    std::error_code ignored;
    const bool isFolder = std::filesystem::is_directory(path, ignored);
    m_renders->interrupted().lookIn(isFolder ? path : path.parent_path());
    m_files->load(path);
}

void SessionController::openDemo(Demo which) {
    m_files->load(demoSession(which));
}

void SessionController::openUnsaved(const session::UnsavedWork& work) {
    m_history.look();
    showState({work.session, work.file});
    if (!work.file.empty()) m_files->noteFile(work.file);
    m_renders->setOpened(work.session, work.file);
    m_shown.play(work.session.playheadSeconds);
    m_history.lookSoon();
}

protocol::RenderRequest SessionController::request() const {
    return m_editor->request();
}

session::Session SessionController::current() const {
    return m_shown.current(request());
}

void SessionController::setRequest(const protocol::RenderRequest& request) {
    if (toJson(m_editor->request()) == toJson(request)) return;
    {
        const QSignalBlocker quiet(m_editor);  // it is this session's, not a change to the one before
        m_editor->setRequest(request);
    }
    m_editor->askForThumbnails();
}

/// So that the same comparison of another prompt or seed is one press away. Of clips by plug-ins that aren't
/// loaded there is no box: where there is none at all, boxes stay as they are.
void SessionController::tickBackendsOf(const session::Session& session) {
    QStringList names;
    for (const session::SessionClip& clip : session.clips)
        names << QString::fromStdString(clip.attentionType);
    const QSignalBlocker quiet(m_editor);
    const QStringList before = m_editor->checkedBackends();
    m_editor->setCheckedBackends(names);
    if (m_editor->checkedBackends().isEmpty()) m_editor->setCheckedBackends(before);
}

void SessionController::showState(const FiledSession& state) {
    m_shown.change(state.session);
    setRequest(state.session.request);
    if (state.file == m_file) return;
    if (state.session.clips.empty())
        m_renders->forget();
    else
        m_renders->setOpened(state.session, state.file);
    m_file = state.file;
    showName();
}

void SessionController::show(const session::Session& opened, const std::filesystem::path& file,
                             SessionPart part) {
    const bool isDemo = isDemoSession(file);
    if (const QStringList parts = ShownSession::notShown(opened); !parts.isEmpty())
        Q_EMIT failed(tr("%1: what it asks for is not there, and left out: %2")
                          .arg(QString::fromStdString(file.string()), parts.join(", ")));
    // Clips that were kept out would be lost to a session that renders are added to.
    const bool isWhole = part == SessionPart::All && !isDemo;
    putOnShow(opened, isDemo ? std::filesystem::path() : file, isWhole ? file : std::filesystem::path());
    if (!isDemo) Q_EMIT this->opened(file);
}

/// `file` is its own; `rendersInto` the one that renders of its subject are added to.
void SessionController::putOnShow(const session::Session& session, const std::filesystem::path& file,
                                  const std::filesystem::path& rendersInto) {
    m_history.look();  // what was there can be gone back to
    m_shown.show(session);
    m_renders->setOpened(session, rendersInto);
    setRequest(session.request);
    tickBackendsOf(session);
    if (!m_editor->knowsModel(session.request.model)) m_editorFiles->addModel(session.request.model);
    m_file = file;
    showName();
    m_history.noteOpened();
    m_history.lookSoon();
}

void SessionController::showNew() {
    m_history.look();
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
    m_history.lookSoon();
}

void SessionController::setFile(const std::filesystem::path& file) {
    m_history.look();
    m_file = file;
    m_history.noteFile(file);
}

void SessionController::save(const std::filesystem::path& file) {
    setFile(file);
    m_files->save(current(), file);
}

void SessionController::noteSaved(const std::filesystem::path& file, const session::Session& written,
                                  const std::vector<session::BlindVote>& added) {
    if (file == m_file) {
        if (!added.empty()) {
            // There may be newer ones here than those that were written.
            std::vector<session::BlindVote> votes = m_shown.blindVotes();
            votes.insert(votes.end(), added.begin(), added.end());
            m_shown.setBlindVotes(std::move(votes));
            m_history.look();
            Q_EMIT failed(tr("%1: %n vote(s) that were saved there from elsewhere are added", nullptr,
                             int(added.size()))
                              .arg(QString::fromStdString(file.string())));
        }
        showName();
        m_history.noteSaved({written, file});
    }
    lookForRecent();
    Q_EMIT saved(file);
}

bool SessionController::reopenReplaced() {
    const std::vector<std::filesystem::path> replaced = m_shown.reopenReplaced();
    for (const std::filesystem::path& clip : replaced)
        Q_EMIT failed(tr("%1: the file was replaced since it was opened; it is opened anew")
                          .arg(QString::fromStdString(clip.string())));
    return !replaced.empty();
}

void SessionController::saveReport(const std::filesystem::path& file) {
    reopenReplaced();
    m_reports->write({current(), m_renders->failedRenders(), m_file.parent_path(), m_renders->machine(),
                      m_shown.requestedMeasures()},
                     file, Foreign::Replace);
}

/// The comparison on show as it is shown; one that was left meanwhile as its renders left it.
void SessionController::saveSettled(const RenderedComparison& settled, bool onShow) {
    if (onShow) reopenReplaced();
    session::Session session = onShow ? m_shown.current(settled.session.request) : settled.session;
    // A clip whose backend was rendered again in vain is still there, though its tile shows the failure.
    for (const session::SessionClip& clip : settled.session.clips)
        if (onShow && m_shown.hasFailed(clip.attentionType) &&
            std::ranges::find(session.clips, clip.path, &session::SessionClip::path) == session.clips.end())
            session.clips.push_back(clip);
    if (session.clips.empty()) return;
    if (onShow) setFile(settled.sessionFile);
    m_files->save(session, settled.sessionFile);
    writeReportOf(session, settled);
}

void SessionController::writeReportOf(const session::Session& session, const RenderedComparison& settled) {
    const std::filesystem::path folder = settled.sessionFile.parent_path();
    m_reports->write({session, settled.failed, folder, m_renders->machine(), m_shown.requestedMeasures()},
                     folder / kReportFile, Foreign::Keep);
}

void SessionController::renewReport(const RenderedComparison& settled) {
    const bool onShow = m_file == settled.sessionFile;
    writeReportOf(onShow ? m_shown.current(settled.session.request) : settled.session, settled);
}

}  // namespace reelgrid::studio

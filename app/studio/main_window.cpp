#include "app/studio/main_window.h"

#include <QAction>
#include <QDialog>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/backend_choices.h"
#include "app/studio/comparison_charts.h"
#include "app/studio/dialogs.h"
#include "app/studio/empty_state.h"
#include "app/studio/job_view.h"
#include "app/studio/recent_list.h"
#include "app/studio/rendered_folder.h"
#include "app/studio/session_report.h"
#include "core/base/resources.h"
#include "core/catalog/model_catalog.h"
#include "core/media/labels.h"
#include "core/protocol/attention_policy_json.h"
#include "widgets/charts/timing_chart.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/panels/request_editor.h"
#include "widgets/panels/transport_bar.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {
constexpr int kSideWidth = 372;
}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_comparison(new Comparison(this)),
      m_background(new BackgroundThread(this)),
      m_recent(new RecentComparisons(this)),
      m_export(new GridExport(this)),
      m_editor(new widgets::RequestEditor),
      m_jobs(new widgets::JobPanel),
      m_issues(new widgets::IssuePanel),
      m_grid(new widgets::VideoGrid(widgets::availableSurface())),
      m_timing(new widgets::TimingChart),
      m_coherence(new widgets::CoherenceChart),
      m_playback(new Playback(m_comparison, m_grid, m_coherence, this)),
      m_measuring(new Measuring(m_comparison, m_background, this)),
      m_renders(new RenderController(m_comparison, m_jobs, this)),
      m_exportJobs(new ExportJobs(m_export, m_jobs, m_issues, this)),
      m_sessions(new SessionFiles(m_background, this)),
      m_shown(m_comparison, m_playback->player(), m_grid),
      m_keyboard(m_playback->player(), m_grid) {
    setWindowTitle("ReelGrid");
    setAcceptDrops(true);
    new ComparisonCharts(m_comparison, m_timing, m_coherence, this);
    m_side = buildSide();
    auto* columns = new QSplitter(Qt::Horizontal);
    columns->addWidget(m_side);
    columns->addWidget(buildStage());
    columns->setStretchFactor(0, 0);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kSideWidth, 1110});
    columns->setHandleWidth(8);
    columns->setContentsMargins(8, 4, 8, 8);
    setCentralWidget(columns);
    buildMenus();
    connectRenders();
    connectSessions();
    m_editor->setBackends(backendChoices());

    connect(m_comparison, &Comparison::clipAdded, this, &MainWindow::showEmptyOrGrid);
    connect(m_comparison, &Comparison::clipRemoved, this, &MainWindow::showEmptyOrGrid);
    connect(m_playback, &Playback::clipFailed, m_issues, &widgets::IssuePanel::addIssue);
    showEmptyOrGrid();
    resize(1440, 900);
    m_grid->setFocus();
    // Before any session is read: a session's request is then put into an editor that knows its models.
    loadInBackground();
}

MainWindow::~MainWindow() = default;

QWidget* MainWindow::buildSide() {
    auto* side = new QSplitter(Qt::Vertical);
    side->setHandleWidth(8);
    side->addWidget(m_editor);
    side->addWidget(m_jobs);
    side->setStretchFactor(0, 3);
    side->setStretchFactor(1, 1);
    side->setSizes({640, 180});
    side->setMinimumWidth(300);
    return side;
}

QWidget* MainWindow::buildStage() {
    auto* empty = new EmptyState(m_recent);
    connect(empty, &EmptyState::openClicked, this, [this] { open(askForClipsOrSessions(this)); });
    connect(empty, &EmptyState::recentChosen, this,
            [this](const QString& folder) { open({folder.toStdString()}); });
    connect(empty, &EmptyState::renderClicked, m_editor, &widgets::RequestEditor::submit);
    m_stage = new QStackedWidget;
    m_stage->addWidget(empty);
    m_stage->addWidget(m_grid);

    auto* picture = new QWidget;
    auto* column = new QVBoxLayout(picture);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_stage, 1);
    column->addWidget(new widgets::TransportBar(m_playback->player()));
    column->addWidget(m_issues);

    auto* charts = new QSplitter(Qt::Horizontal);
    charts->setHandleWidth(8);
    charts->addWidget(m_timing);
    charts->addWidget(m_coherence);
    charts->setSizes({500, 600});
    m_charts = charts;

    auto* stage = new QSplitter(Qt::Vertical);
    stage->setHandleWidth(8);
    stage->addWidget(picture);
    stage->addWidget(charts);
    stage->setStretchFactor(0, 1);
    stage->setStretchFactor(1, 0);
    stage->setSizes({600, 240});
    return stage;
}

void MainWindow::connectRenders() {
    connect(m_editor, &widgets::RequestEditor::renderRequested, this, [this] {
        // Playing takes processor time from the renders, from the later ones more: their times must be
        // comparable.
        m_playback->player()->pause();
        m_renders->render(m_editor->request(), m_editor->checkedBackends(), *m_editor->model());
    });
    connect(m_renders, &RenderController::began, this, [this] {
        m_shown.reset();
        m_shownFile.clear();
        showName();
    });
    connect(m_renders, &RenderController::comparisonSettled, this, &MainWindow::saveSettled);
    connect(m_renders, &RenderController::resultsFolderChanged, this,
            [this] { m_recent->look(m_renders->resultsFolder()); });
    connect(m_renders, &RenderController::settled, m_playback->player(), &widgets::Player::play);
    connect(m_editor, &widgets::RequestEditor::modelFolderRequested, this, &MainWindow::chooseModelFolder);
    connect(m_editor, &widgets::RequestEditor::policyFileRequested, this, &MainWindow::choosePolicyFile);
    connect(m_renders, &RenderController::failed, m_issues, &widgets::IssuePanel::addIssue);
    connect(m_measuring, &Measuring::problem, m_issues, &widgets::IssuePanel::addIssue);
    connect(m_jobs, &widgets::JobPanel::logRequested, this, &MainWindow::showLog);
}

void MainWindow::showLog(const QString& id) {
    if (const jobs::Job* job = m_renders->jobs().find(id.toStdString()))
        showText(this, viewOf(*job).title, m_renders->jobs().logOf(job->id));
    else if (const widgets::JobView* view = m_exportJobs->find(id))
        showText(this, view->title, view->status);
}

/// The comparison on show as it is shown; one that was left meanwhile as its renders left it.
void MainWindow::saveSettled(const RenderedComparison& settled, bool onShow) {
    session::Session session = onShow ? m_shown.current(settled.session.request) : settled.session;
    // A clip whose backend was rendered again in vain is still there, though its tile shows the failure.
    for (const session::SessionClip& clip : settled.session.clips)
        if (std::ranges::find(session.clips, clip.path, &session::SessionClip::path) == session.clips.end())
            session.clips.push_back(clip);
    if (session.clips.empty()) return;
    if (onShow) m_shownFile = settled.sessionFile;
    m_sessions->save(session, settled.sessionFile);
    writeReportOf(session, settled.sessionFile.parent_path() / kReportFile, Foreign::Keep);
}

void MainWindow::saveReport(const std::filesystem::path& file) {
    writeReportOf(m_shown.current(m_editor->request()), file, Foreign::Replace);
}

void MainWindow::writeReportOf(const session::Session& session, const std::filesystem::path& file,
                               Foreign foreign) {
    m_background->run([this, session, file, foreign](const std::stop_token&) -> BackgroundThread::Completion {
        if (foreign == Foreign::Keep && isForeign(file)) return {};
        auto written = writeReport(session, file);
        return [this, file, written = std::move(written)] {
            if (written)
                Q_EMIT reportSaved(file);
            else
                m_issues->addIssue(QString::fromStdString(written.error().message));
        };
    });
}

void MainWindow::connectSessions() {
    connect(m_background, &BackgroundThread::failed, m_issues, &widgets::IssuePanel::addIssue);
    connect(m_sessions, &SessionFiles::loaded, this, &MainWindow::showSession);
    connect(m_sessions, &SessionFiles::failed, m_issues, &widgets::IssuePanel::addIssue);
    connect(m_sessions, &SessionFiles::saved, this, [this](const std::filesystem::path& file) {
        if (file == m_shownFile) showName();
        m_recent->look(m_renders->resultsFolder());
    });
}

void MainWindow::loadInBackground() {
    m_recent->look(m_renders->resultsFolder());
    m_background->run([this](const std::stop_token&) -> BackgroundThread::Completion {
        std::vector<families::ModelInfo> models = catalog::listModels();
        return [this, models = std::move(models)] { m_editor->setModels(models); };
    });
    // Once the window is up: nobody waits for it.
    QTimer::singleShot(0, this, &MainWindow::loadPromptGuide);
}

void MainWindow::loadPromptGuide() {
    m_background->run([this](const std::stop_token&) -> BackgroundThread::Completion {
        auto guide = widgets::PromptGuide::read(resourceFolder() / "prompts" / "demo.json");
        return [this, guide = std::move(guide)] {
            if (guide)
                m_editor->setPromptGuide(*guide);
            else
                m_issues->addIssue(QString::fromStdString(guide.error().in("prompt guide").message));
        };
    });
}

void MainWindow::open(const std::vector<std::filesystem::path>& paths) {
    for (const auto& path : paths) {
        if (SessionFiles::isSession(path))
            m_sessions->load(std::filesystem::absolute(path));
        else
            addClip(std::filesystem::absolute(path));
    }
}

void MainWindow::showSession(const session::Session& opened, const std::filesystem::path& file,
                             SessionPart part) {
    m_shown.show(opened);
    // Clips that were kept out would be lost to a session that renders are added to.
    m_renders->setOpened(opened, part == SessionPart::All ? file : std::filesystem::path());
    m_editor->setRequest(opened.request);
    if (!m_editor->knowsModel(opened.request.model)) addModel(opened.request.model);
    m_shownFile = file;
    showName();
}

void MainWindow::showName() {
    if (m_shownFile.empty()) return setWindowTitle("ReelGrid");
    // The sessions of rendered comparisons have one name; their folders tell them apart.
    const bool isNamed = m_shownFile.filename() != kSessionFile;
    const std::filesystem::path name = isNamed ? m_shownFile : m_shownFile.parent_path();
    setWindowTitle(QString::fromStdString(name.filename().string()) + " – ReelGrid");
}

void MainWindow::closeComparison() {
    m_comparison->clear();
    m_shown.reset();
    m_renders->forget();
    m_shownFile.clear();
    showName();
}

void MainWindow::saveSession(const std::filesystem::path& file) {
    m_shownFile = file;
    m_sessions->save(m_shown.current(m_editor->request()), file);
}

void MainWindow::addClip(const std::filesystem::path& path) {
    ComparedClip clip;
    clip.label = QString::fromStdString(media::labelOf(path));
    clip.path = path;
    clip.onDisk = true;
    const bool first = m_comparison->clips().empty();
    m_comparison->add(std::move(clip));
    if (first) m_playback->player()->play();
}

void MainWindow::showRecent() {
    m_recent->look(m_renders->resultsFolder());
    auto* list = new RecentList(m_recent);
    QDialog* dialog = showInDialog(this, tr("Recent comparisons"), list);
    connect(list, &RecentList::chosen, this, [this, dialog](const QString& folder) {
        open({folder.toStdString()});
        dialog->close();
    });
}

void MainWindow::chooseModelFolder() {
    const std::filesystem::path folder = askForFolder(this, tr("Choose a model folder (diffusers layout)"));
    if (!folder.empty()) addModel(folder.string());
}

void MainWindow::choosePolicyFile() {
    const std::filesystem::path file = askForPolicyFile(this);
    if (!file.empty()) readPolicy(file);
}

void MainWindow::readPolicy(const std::filesystem::path& file) {
    m_background->run([this, file](const std::stop_token&) -> BackgroundThread::Completion {
        auto policy = protocol::readAttentionPolicy(file);
        return [this, policy = std::move(policy)] {
            if (policy)
                m_editor->setAttentionPolicy(*policy);
            else
                m_issues->addIssue(QString::fromStdString(policy.error().message));
        };
    });
}

void MainWindow::addModel(const std::string& idOrFolder) {
    m_background->run([this, idOrFolder](const std::stop_token&) -> BackgroundThread::Completion {
        auto found = catalog::findModel(idOrFolder);
        return [this, found = std::move(found)] {
            if (found)
                m_editor->addModel(*found);
            else
                m_issues->addIssue(QString::fromStdString(found.error().message));
        };
    });
}

void MainWindow::exportGrid(const std::filesystem::path& output) {
    std::vector<media::LabelledClip> clips = m_shown.clipsToExport();
    if (clips.empty())
        m_issues->addIssue(tr("Export grid: 0 clips on show, at least one was needed"));
    else
        m_export->start(std::move(clips), output, m_shown.columns());
}

void MainWindow::savePicture(const std::filesystem::path& file) {
    m_background->run([this, file, picture = m_grid->snapshot()](const std::stop_token&) {
        const bool saved = picture.save(QString::fromStdString(file.string()));
        return [this, saved, name = QString::fromStdString(file.string())] {
            if (!saved) m_issues->addIssue(tr("%1: can't be written as a PNG or JPEG picture").arg(name));
        };
    });
}

void MainWindow::showEmptyOrGrid() {
    m_stage->setCurrentIndex(m_comparison->clips().empty() ? 0 : 1);
}

void MainWindow::toggleFullScreen() {
    const bool full = !isFullScreen();
    m_side->setVisible(!full && m_showSide->isChecked());
    m_charts->setVisible(!full && m_showCharts->isChecked());
    menuBar()->setVisible(!full);
    setWindowState(windowState() ^ Qt::WindowFullScreen);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_F && event->modifiers() == Qt::NoModifier) return toggleFullScreen();
    if (event->key() == Qt::Key_Escape && isFullScreen()) return toggleFullScreen();
    if (!m_keyboard.press(*event)) QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    std::vector<std::filesystem::path> paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths.emplace_back(url.toLocalFile().toStdString());
        else
            m_issues->addIssue(tr("%1: only local files can be opened").arg(url.toString()));
    }
    open(paths);
    event->acceptProposedAction();
}

}  // namespace reelgrid::studio

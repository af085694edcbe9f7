#include "app/studio/main_window.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include "app/studio/backend_choices.h"
#include "app/studio/dialogs.h"
#include "app/studio/empty_state.h"
#include "app/studio/export_jobs.h"
#include "core/base/resources.h"
#include "core/catalog/model_catalog.h"
#include "core/media/labels.h"
#include "core/protocol/attention_policy_json.h"
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
      m_sessions(new SessionFiles(m_background, this)),
      m_keyboard(m_playback->player(), m_grid) {
    setWindowTitle("ReelGrid");
    setAcceptDrops(true);
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
    showExportsAsJobs(m_export, m_jobs, m_issues);
    connectRenders();
    connectSessions();
    m_editor->setBackends(backendChoices());

    connect(m_comparison, &Comparison::changed, this, &MainWindow::showEmptyOrGrid);
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
    side->setSizes({600, 220});
    side->setMinimumWidth(300);
    return side;
}

QWidget* MainWindow::buildStage() {
    auto* empty = new EmptyState;
    connect(empty, &EmptyState::openClicked, this, &MainWindow::askForFiles);
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

void MainWindow::buildMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open clips or session…"), QKeySequence::Open, this, &MainWindow::askForFiles);
    file->addAction(tr("&Save session…"), QKeySequence::Save, this, [this] {
        if (const auto name = askForSessionName(this); !name.empty()) saveSession(name);
    });
    file->addSeparator();
    file->addAction(tr("&Export grid…"), QKeySequence("Ctrl+E"), this, [this] {
        if (const auto name = askForExportName(this); !name.empty()) exportGrid(name);
    });
    file->addSeparator();
    file->addAction(tr("Save &picture of the grid…"), QKeySequence("Ctrl+Shift+S"), this, [this] {
        if (const auto name = askForPictureName(this); !name.empty()) savePicture(name);
    });
    file->addSeparator();
    file->addAction(tr("Choose &model folder…"), this, &MainWindow::chooseModelFolder);
    file->addAction(tr("Choose &results folder…"), this, [this] {
        const auto folder = askForFolder(this, tr("Where renders go"), m_renders->resultsFolder());
        if (!folder.empty()) m_renders->setResultsFolder(folder);
    });
    file->addSeparator();
    file->addAction(tr("&Close comparison"), QKeySequence("Ctrl+W"), m_comparison, &Comparison::clear);
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);

    QMenu* view = menuBar()->addMenu(tr("&View"));
    const auto toggle = [view](const QString& text, const QKeySequence& keys, bool on) {
        QAction* action = view->addAction(text);
        action->setShortcut(keys);
        action->setCheckable(true);
        action->setChecked(on);
        return action;
    };
    m_showSide = toggle(tr("&Side panel"), QKeySequence("F9"), true);
    connect(m_showSide, &QAction::toggled, m_side, &QWidget::setVisible);
    m_showCharts = toggle(tr("&Charts"), QKeySequence("F10"), true);
    connect(m_showCharts, &QAction::toggled, m_charts, &QWidget::setVisible);
    connect(toggle(tr("Frame &numbers"), {}, true), &QAction::toggled, m_playback,
            &Playback::setFrameNumbers);
    connect(toggle(tr("Sharp &pixels"), {}, false), &QAction::toggled, m_grid, [this](bool sharp) {
        m_grid->setScaling(sharp ? widgets::PixelScaling::Sharp : widgets::PixelScaling::Smooth);
    });
    view->addSeparator();
    view->addAction(tr("&Full screen\tF"), this, &MainWindow::toggleFullScreen);

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Keys"), QKeySequence("F1"), this, [this] { showKeys(this); });
    help->addAction(tr("&About ReelGrid"), this, [this] { showAbout(this); });
}

void MainWindow::connectRenders() {
    connect(m_editor, &widgets::RequestEditor::renderRequested, this, [this] {
        // Playing takes processor time from the renders, from the later ones more: their times must be
        // comparable.
        m_playback->player()->pause();
        m_renders->render(m_editor->request(), m_editor->checkedBackends());
    });
    connect(m_renders, &RenderController::settled, m_playback->player(), &widgets::Player::play);
    connect(m_editor, &widgets::RequestEditor::modelFolderRequested, this, &MainWindow::chooseModelFolder);
    connect(m_editor, &widgets::RequestEditor::policyFileRequested, this, &MainWindow::choosePolicyFile);
    connect(m_renders, &RenderController::failed, m_issues, &widgets::IssuePanel::addIssue);
    connect(m_measuring, &Measuring::problem, m_issues, &widgets::IssuePanel::addIssue);
    connect(m_jobs, &widgets::JobPanel::logRequested, this, [this](const QString& job) {
        const QString log = m_renders->logOf(job);
        showText(this, m_jobs->job(job).title, log.isEmpty() ? m_jobs->job(job).status : log);
    });
}

void MainWindow::connectSessions() {
    connect(m_sessions, &SessionFiles::loaded, this, &MainWindow::showSession);
    connect(m_sessions, &SessionFiles::failed, m_issues, &widgets::IssuePanel::addIssue);
    connect(m_sessions, &SessionFiles::saved, this,
            [this](const QString& file) { setWindowTitle(QFileInfo(file).fileName() + " – ReelGrid"); });
}

void MainWindow::loadInBackground() {
    m_background->run([this](const std::stop_token&) -> BackgroundThread::Completion {
        std::vector<catalog::ModelInfo> models = catalog::listModels();
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

void MainWindow::showSession(const session::Session& opened, const QString& file) {
    m_session = opened;
    m_comparison->clear();
    m_grid->setColumns(opened.columns);
    for (const session::SessionClip& each : opened.clips) {
        ComparedClip clip;
        clip.backend = QString::fromStdString(each.attentionType);
        clip.label = QString::fromStdString(each.label);
        clip.path = each.path;
        clip.onDisk = true;
        clip.offsetSeconds = each.offsetSeconds;
        m_comparison->add(std::move(clip));
    }
    m_editor->setRequest(opened.request);
    if (!m_editor->knowsModel(opened.request.model)) addModel(opened.request.model);
    widgets::Player* player = m_playback->player();
    if (opened.loop)
        player->setRange(opened.loop->inSeconds, opened.loop->outSeconds);
    else
        player->setLoop(widgets::LoopMode::Whole);
    player->seek(opened.playheadSeconds);
    player->play();
    setWindowTitle(QFileInfo(file).fileName() + " – ReelGrid");
}

session::Session MainWindow::currentSession() const {
    session::Session session = m_session;
    session.clips.clear();
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk)
            session.clips.push_back(
                {clip.path, clip.label.toStdString(), clip.backend.toStdString(), clip.offsetSeconds});
    const widgets::PlaybackClock& clock = m_playback->player()->clock();
    session.playheadSeconds = clock.position();
    session.loop.reset();
    if (clock.loop() == widgets::LoopMode::Range)
        session.loop = {clock.timeline().stop(clock.loopFirstStop()),
                        clock.timeline().stop(clock.loopLastStop())};
    session.request = m_editor->request();
    return session;
}

void MainWindow::saveSession(const std::filesystem::path& file) {
    m_sessions->save(currentSession(), file);
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

void MainWindow::askForFiles() {
    open(askForClipsOrSessions(this));
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
    std::vector<media::LabelledClip> clips;
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk && !clip.failed) clips.push_back({clip.path, clip.label.toStdString()});
    if (clips.empty())
        m_issues->addIssue(tr("Export grid: 0 clips on show, at least one was needed"));
    else
        m_export->start(std::move(clips), output, m_session.columns);
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
    std::vector<widgets::RenderTiming> timings;
    std::vector<widgets::ClipCurves> curves;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (clip.timing) timings.push_back(*clip.timing);
        if (clip.curves) curves.push_back(*clip.curves);
    }
    m_timing->setTimings(std::move(timings));
    m_coherence->setCurves(std::move(curves));
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

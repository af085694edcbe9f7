#include "app/studio/main_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include "app/studio/backend_choices.h"
#include "app/studio/banner.h"
#include "app/studio/blind_test_view.h"
#include "app/studio/comparison_charts.h"
#include "app/studio/dialogs.h"
#include "app/studio/empty_state.h"
#include "app/studio/forecast_line.h"
#include "app/studio/job_view.h"
#include "app/studio/measure/measure_tools.h"
#include "app/studio/missing_plugins.h"
#include "app/studio/notifier.h"
#include "app/studio/presenter.h"
#include "app/studio/suite/suite_windows.h"
#include "app/studio/thumbnails.h"
#include "core/base/freed_memory.h"
#include "widgets/charts/timing_chart.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/panels/picture_slot.h"
#include "widgets/panels/request_editor.h"
#include "widgets/panels/transport_bar.h"
#include "widgets/panels/view_bar.h"
#include "widgets/sound/pulse_sink.h"
#include "widgets/theme/theme.h"
#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::studio {

namespace {
constexpr int kSideWidth = 372;
}  // namespace

MainWindow::MainWindow(machine::LocalMachine machine, QWidget* parent)
    : QMainWindow(parent),
      m_machine(std::move(machine)),
      m_actions(new Actions(this)),
      m_comparison(new Comparison(this)),
      m_background(new BackgroundThread(this)),
      m_export(new GridExport(this)),
      m_editor(new widgets::RequestEditor(m_machine.now())),
      m_jobs(new widgets::JobPanel),
      m_issues(new widgets::IssuePanel),
      m_grid(new widgets::VideoGrid(widgets::preferredSurface())),
      m_timing(new widgets::TimingChart),
      m_coherence(new widgets::CoherenceChart),
      m_playback(new Playback(m_comparison, m_grid, m_coherence, this)),
      m_sound(new ClipSound(m_comparison, m_playback, m_grid, widgets::openPulseSink, this)),
      m_looking(new LookingActions(m_grid, m_actions, this)),
      m_measuring(new Measuring(m_comparison, this)),
      m_renders(new RenderController(m_comparison, m_jobs, m_machine, this)),
      m_exportJobs(new ExportJobs(m_export, m_jobs, m_issues, this)),
      m_editorFiles(new EditorFiles(m_editor, m_background, this)),
      m_plugins(new PluginBackends(this)),
      m_sessions(new SessionController(
          ShownSession({m_comparison, m_playback->player(), m_grid, m_timing, m_coherence}),
          [this] { return everyClipIsOpen(); }, m_renders, m_editor, m_editorFiles, m_background, this)),
      m_renderMenu(new RenderMenu({m_editor, m_editorFiles, m_renders, m_sessions, this})),
      m_measureTools(new MeasureTools(
          {m_comparison, m_playback, m_grid, m_editor, m_jobs, m_issues, m_renders, m_sessions, m_background},
          this)),
      m_suites(new SuiteWindows(m_background, this)),
      m_unsaved(new UnsavedWorkKeeper(&m_sessions->history(), this)),
      m_shuttle(new Shuttle(m_playback->player(), this)),
      m_blindView(new BlindTestView),
      m_blindTest(new BlindTest(m_comparison, &m_sessions->shown(), m_blindView, this)),
      m_presenter(new Presenter(m_comparison, m_grid)),
      m_banner(new Banner),
      m_viewBar(new widgets::ViewBar(m_grid, m_playback->player())),
      m_transport(new widgets::TransportBar(m_playback->player())) {
    setWindowTitle("ReelGrid[*]");
    setAcceptDrops(true);
    new ComparisonCharts(m_comparison, m_timing, m_coherence, m_playback, this);
    new ForecastLine(m_editor, m_renders, this);
    new Thumbnails(m_comparison, m_coherence, m_playback, this);
    m_side = buildSide();
    m_columns = new QSplitter(Qt::Horizontal);
    m_columns->addWidget(m_side);
    m_columns->addWidget(buildStage());
    m_columns->setStretchFactor(0, 0);
    m_columns->setStretchFactor(1, 1);
    m_columns->setSizes({kSideWidth, 1110});
    m_columns->setHandleWidth(8);
    m_columns->setContentsMargins(8, 4, 8, 8);
    m_pages = new QStackedWidget;
    m_pages->addWidget(m_columns);
    m_pages->addWidget(m_blindView);
    setCentralWidget(m_pages);
    buildMenus();
    connectRenders();
    connectPlugins();
    connectSessions();
    connectSuites();
    connectHistory();
    connectIssues();
    m_editor->setBackends(backendChoices(m_machine.now()));
    resize(QSize(1440, 900).boundedTo(screen()->availableSize()));
    restoreSettings();
    // The grid isn't shown yet: its page keeps the keys from what is beside it.
    m_grid->parentWidget()->setFocus();
    // Before any session is read: a session's request is then put into an editor that knows its models.
    m_sessions->lookForRecent();
    m_renders->interrupted().lookBelow(m_renders->resultsFolder());
    m_editorFiles->loadModels();
    // Once the window is up: nobody waits for it.
    QTimer::singleShot(0, m_editorFiles, &EditorFiles::loadPromptGuide);
    QTimer::singleShot(0, m_unsaved, &UnsavedWorkKeeper::lookForLeftWork);
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
    return side;
}

QWidget* MainWindow::buildStage() {
    auto* picture = new QWidget;
    auto* column = new QVBoxLayout(picture);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_banner);
    column->addWidget(m_viewBar);
    column->addWidget(buildGrid(), 1);
    column->addWidget(m_presenter);
    column->addWidget(m_transport);
    column->addWidget(m_issues);

    auto* charts = new QSplitter(Qt::Horizontal);
    charts->setHandleWidth(8);
    charts->addWidget(m_timing);
    charts->addWidget(m_coherence);
    charts->setSizes({560, 560});
    m_charts = charts;

    m_stage = new QSplitter(Qt::Vertical);
    m_stage->setHandleWidth(8);
    m_stage->addWidget(picture);
    m_stage->addWidget(charts);
    m_stage->setStretchFactor(0, 1);
    m_stage->setStretchFactor(1, 0);
    m_stage->setSizes({600, 240});
    // A click on these must not take the arrow keys from playing; Tab gets there all the same.
    for (QWidget* each : m_stage->findChildren<QWidget*>())
        if ((each->focusPolicy() & Qt::ClickFocus) != 0 &&
            (qobject_cast<QAbstractButton*>(each) != nullptr || qobject_cast<QComboBox*>(each) != nullptr))
            each->setFocusPolicy(Qt::TabFocus);
    return m_stage;
}

QWidget* MainWindow::buildGrid() {
    auto* empty = new EmptyState(&m_sessions->recent());
    connect(empty, &EmptyState::openClicked, this, [this] { m_sessions->open(askForClipsOrSessions(this)); });
    connect(empty, &EmptyState::recentChosen, m_sessions,
            [this](const QString& folder) { m_sessions->open({folder.toStdString()}); });
    connect(empty, &EmptyState::demoClicked, m_sessions, [this] { m_sessions->openDemo(); });
    connect(empty, &EmptyState::fourStepsClicked, m_sessions,
            [this] { m_sessions->openDemo(SessionController::Demo::FourSteps); });
    connect(empty, &EmptyState::renderClicked, m_editor, &widgets::RequestEditor::submit);
    auto* emptyOrGrid = new QStackedWidget;
    emptyOrGrid->setFocusPolicy(Qt::ClickFocus);
    emptyOrGrid->addWidget(empty);
    emptyOrGrid->addWidget(m_grid);
    const auto choose = [this, emptyOrGrid] {
        const int page = m_comparison->clips().empty() ? 0 : 1;
        if (page == emptyOrGrid->currentIndex()) return;
        emptyOrGrid->setCurrentIndex(page);
        // Else the focus goes from the page that went to some button, which takes the arrow keys.
        const QWidget* focused = QApplication::focusWidget();
        if (focused == nullptr || !m_side->isAncestorOf(focused)) m_grid->setFocus();
    };
    connect(m_comparison, &Comparison::clipAdded, emptyOrGrid, choose);
    connect(m_comparison, &Comparison::clipRemoved, emptyOrGrid, choose);
    return emptyOrGrid;
}

void MainWindow::connectRenders() {
    connect(m_editor, &widgets::RequestEditor::renderRequested, this, [this] {
        // Playing takes processor time from the renders, from the later ones more: their times must be
        // comparable.
        m_playback->player()->pause();
        // Space is to play then, not to render once more.
        if (m_editor->isAncestorOf(QApplication::focusWidget())) m_grid->setFocus();
        m_rendering.start();
        m_renders->render(m_editor->request(), m_editor->checkedBackends(), *m_editor->model());
    });
    connect(m_renders, &RenderController::takenUp, m_playback->player(), &widgets::Player::pause);
    connect(m_renders, &RenderController::settled, m_playback->player(), &widgets::Player::play);
    connect(m_renders, &RenderController::settled, this, [this] {
        giveBackFreedMemory();
        if (m_rendering.isValid() && m_rendering.elapsed() > kLongSeconds * 1000)
            notifyOfEnd(*this, tr("All renders have ended"),
                        QString::fromStdString(m_editor->request().prompt));
    });
    connect(m_export, &GridExport::finished, this, [this](const QString&, const QString& output) {
        notifyOfEnd(*this, tr("The grid is exported"), output);
    });
    connect(m_jobs, &widgets::JobPanel::logRequested, this, &MainWindow::showLog);
}

void MainWindow::connectPlugins() {
    connect(m_plugins, &PluginBackends::changed, this,
            [this](const QStringList& chosen, const QStringList& arguments) {
                const QStringList checked = m_editor->checkedBackends() + chosen;
                const machine::Machine machine = m_machine.now();
                m_editor->setMachine(machine);
                m_editor->setBackends(backendChoices(machine));
                m_editor->setCheckedBackends(checked);
                std::vector<std::string> words{"worker"};
                for (const QString& argument : arguments) words.push_back(argument.toStdString());
                m_renders->jobs().setWorkerArguments(words);
            });
    connect(m_plugins, &PluginBackends::failed, m_issues, &widgets::IssuePanel::addIssue);
    auto* missing = new MissingPlugins(m_comparison, m_sessions, m_plugins, this);
    connect(missing, &MissingPlugins::missing, m_issues, &widgets::IssuePanel::addIssue);
}

void MainWindow::connectSessions() {
    connect(m_sessions, &SessionController::nameChanged, this, [this](const QString& name) {
        setWindowTitle(name.isEmpty() ? "ReelGrid[*]" : name + "[*] – ReelGrid");
    });
    connect(m_sessions, &SessionController::opened, this,
            [this](const std::filesystem::path& file) { m_settings.addRecentFile(file); });
    connect(m_sessions, &SessionController::saved, this,
            [this](const std::filesystem::path& file) { m_settings.addRecentFile(file); });
    connect(m_unsaved, &UnsavedWorkKeeper::found, this, &MainWindow::offerUnsavedWork);
    connect(m_editor, &widgets::RequestEditor::modelFolderRequested, m_editorFiles,
            &EditorFiles::chooseModelFolder);
    connect(m_editor, &widgets::RequestEditor::policyFileRequested, m_editorFiles,
            &EditorFiles::choosePolicyFile);
    connect(m_editor, &widgets::RequestEditor::loraRequested, m_editorFiles, &EditorFiles::chooseLora);
    connect(m_editor, &widgets::RequestEditor::pictureRequested, m_editorFiles, &EditorFiles::choosePicture);
    connect(m_editor, &widgets::RequestEditor::thumbnailRequested, m_editorFiles,
            &EditorFiles::readThumbnail);
}

void MainWindow::connectSuites() {
    connect(m_measureTools, &MeasureTools::suiteOpened, m_suites, &SuiteWindows::show);
    connect(m_suites, &SuiteWindows::shown, this,
            [this](const std::filesystem::path& file) { m_settings.addRecentFile(file); });
    connect(m_suites, &SuiteWindows::sessionRequested, this, [this](const std::filesystem::path& file) {
        m_sessions->openSession(file);
        raise();
        activateWindow();
    });
    connect(m_suites, &SuiteWindows::blindTestRequested, this, &MainWindow::startBlindTest);
    connect(m_suites, &SuiteWindows::failed, m_issues, &widgets::IssuePanel::addIssue);
}

void MainWindow::connectIssues() {
    const auto show = &widgets::IssuePanel::addIssue;
    connect(m_renders, &RenderController::failed, m_issues, show);
    connect(m_measuring, &Measuring::problem, m_issues, show);
    connect(m_playback, &Playback::clipFailed, m_issues, show);
    connect(m_sound, &ClipSound::failed, m_issues, show);
    connect(m_playback, &Playback::framesNotKept, m_issues, show);
    connect(m_sessions, &SessionController::failed, m_issues, show);
    connect(m_unsaved, &UnsavedWorkKeeper::failed, m_issues, show);
    connect(&m_sessions->recent(), &RecentComparisons::failed, m_issues, show);
    connect(m_editorFiles, &EditorFiles::failed, m_issues, show);
    connect(m_background, &BackgroundThread::failed, m_issues, show);
    for (const widgets::ChartFrame* chart :
         std::initializer_list<const widgets::ChartFrame*>{m_timing, m_coherence})
        connect(chart, &widgets::ChartFrame::failed, m_issues, show);
}

void MainWindow::showLog(const QString& id) {
    if (const jobs::Job* job = m_renders->jobs().find(id.toStdString()))
        showText(this, viewOf(*job).title, m_renders->jobs().logOf(job->id));
    else if (const result::InterruptedRender* left = m_renders->interrupted().find(id))
        showText(this, viewOf(*left).title, m_renders->interrupted().logOf(id));
    else if (const widgets::JobView* view = m_exportJobs->find(id))
        showText(this, view->title, view->status);
    else if (const widgets::JobView* measured = m_measureTools->jobs().find(id))
        showText(this, measured->title, m_measureTools->jobs().logOf(id));
}

void MainWindow::savePicture(const std::filesystem::path& file) {
    m_background->run([this, file, picture = m_grid->snapshot()](const std::stop_token&) {
        const bool saved = picture.save(QString::fromStdString(file.string()));
        return [this, saved, name = QString::fromStdString(file.string())] {
            if (!saved) m_issues->addIssue(tr("%1: can't be written as a PNG or JPEG picture").arg(name));
        };
    });
}

void MainWindow::saveTiles(const std::filesystem::path& folder) {
    m_background->run([this, folder, pictures = m_playback->picturesOnShow()](const std::stop_token&) {
        QStringList failed;
        for (const auto& [name, frame] : pictures) {
            const QString file = QString::fromStdString((folder / name.toStdString()).string());
            if (!widgets::toImage(*frame).save(file)) failed << file;
        }
        return [this, failed] {
            for (const QString& file : failed)
                m_issues->addIssue(tr("%1: can't be written as a PNG picture").arg(file));
        };
    });
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (m_pages->currentWidget() == m_blindView || !m_actions->press(*event))
        QMainWindow::keyPressEvent(event);
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
    event->acceptProposedAction();
    // A picture is what a clip begins with, wherever in the window it was dropped.
    if (const QString picture = widgets::pictureIn(*event); !picture.isEmpty()) {
        if (!m_editor->takePicture(picture))
            m_issues->addIssue(tr("%1: the chosen model takes no picture").arg(picture));
        return;
    }
    m_sessions->open(paths);
}

}  // namespace reelgrid::studio

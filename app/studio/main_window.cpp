#include "app/studio/main_window.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include "app/studio/empty_state.h"
#include "core/base/resources.h"
#include "core/catalog/model_catalog.h"
#include "core/media/labels.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/panels/request_editor.h"
#include "widgets/panels/transport_bar.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {
constexpr int kSideWidth = 372;
constexpr const char* kClipFilter = "*.mp4 *.webm *.mkv *.mov *.avi *.gif";
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
    connectExport();

    connect(m_comparison, &Comparison::changed, this, &MainWindow::showEmptyOrGrid);
    connect(m_playback, &Playback::clipFailed, m_issues, &widgets::IssuePanel::addIssue);
    showEmptyOrGrid();
    resize(1440, 900);
    m_grid->setFocus();
    // What needs the disk comes after the window is on screen.
    QTimer::singleShot(0, this, &MainWindow::loadLater);
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
    connect(empty, &EmptyState::renderClicked, m_editor, [this] {
        if (m_editor->problem().isEmpty()) Q_EMIT m_editor->renderRequested();
    });
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
    file->addSeparator();
    file->addAction(tr("&Export grid…"), QKeySequence("Ctrl+E"), this, &MainWindow::askForExport);
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
    connect(toggle(tr("&Side panel"), QKeySequence("F9"), true), &QAction::toggled, m_side,
            &QWidget::setVisible);
    connect(toggle(tr("&Charts"), QKeySequence("F10"), true), &QAction::toggled, m_charts,
            &QWidget::setVisible);
    connect(toggle(tr("Frame &numbers"), {}, true), &QAction::toggled, m_playback,
            &Playback::setFrameNumbers);
    connect(toggle(tr("Sharp &pixels"), {}, false), &QAction::toggled, m_grid, [this](bool sharp) {
        m_grid->setScaling(sharp ? widgets::PixelScaling::Sharp : widgets::PixelScaling::Smooth);
    });
    view->addSeparator();
    view->addAction(tr("&Full screen\tF"), this, &MainWindow::toggleFullScreen);

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Keys"), QKeySequence("F1"), this, &MainWindow::showKeys);
}

void MainWindow::connectExport() {
    const auto view = [this](const QString& id, widgets::JobState state, const QString& status,
                             double progress) {
        widgets::JobView job = m_jobs->job(id);
        job.state = state;
        job.status = status;
        job.progress = progress;
        m_jobs->setJob(id, job);
    };
    using enum widgets::JobState;
    connect(m_export, &GridExport::started, this, [this](const QString& id, const QString& output) {
        widgets::JobView job;
        job.title = QFileInfo(output).fileName();
        job.color = widgets::theme::kQuiet;
        job.state = Running;
        job.status = tr("exporting");
        m_jobs->setJob(id, job);
    });
    connect(m_export, &GridExport::progressed, this, [view](const QString& id, int done, int count) {
        view(id, Running, tr("exporting %1 / %2").arg(done).arg(count), count > 0 ? double(done) / count : 0);
    });
    connect(m_export, &GridExport::finished, this, [view](const QString& id, const QString&, int frames) {
        view(id, Done, tr("exported, %1 frames").arg(frames), 1);
    });
    connect(m_export, &GridExport::cancelled, this,
            [view](const QString& id) { view(id, Cancelled, tr("cancelled"), 0); });
    connect(m_export, &GridExport::failed, this, [this, view](const QString& id, const QString& message) {
        view(id, Failed, message, 0);
        m_issues->addIssue(message);
    });
    connect(m_jobs, &widgets::JobPanel::cancelRequested, m_export, &GridExport::cancel);
}

void MainWindow::loadLater() {
    m_background->run([this](const std::stop_token&) -> BackgroundThread::Completion {
        std::vector<catalog::ModelInfo> models = catalog::listModels();
        QStringList prompts;
        QFile file(QString::fromStdString((resourceFolder() / "prompts" / "demo.txt").string()));
        if (file.open(QIODevice::ReadOnly | QIODevice::Text))
            prompts = QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts);
        return [this, models = std::move(models), prompts] {
            m_editor->setModels(models);
            m_editor->setExamplePrompts(prompts);
        };
    });
}

void MainWindow::open(const std::vector<std::filesystem::path>& paths) {
    for (const auto& path : paths) addClip(path);
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
    const QStringList names =
        QFileDialog::getOpenFileNames(this, tr("Open clips or a session"), {},
                                      tr("Clips and sessions (%1 *.json);;All files (*)").arg(kClipFilter));
    std::vector<std::filesystem::path> paths;
    for (const QString& name : names) paths.emplace_back(name.toStdString());
    open(paths);
}

void MainWindow::askForExport() {
    const QString name = QFileDialog::getSaveFileName(this, tr("Export grid"), "comparison_grid.mp4",
                                                      tr("MP4 (*.mp4);;WebM (*.webm);;GIF (*.gif)"));
    if (!name.isEmpty()) exportGrid(name.toStdString());
}

void MainWindow::exportGrid(const std::filesystem::path& output) {
    std::vector<media::LabelledClip> clips;
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk && !clip.failed) clips.push_back({clip.path, clip.label.toStdString()});
    if (clips.empty())
        m_issues->addIssue(tr("Export grid: 0 clips on show, at least one was needed"));
    else
        m_export->start(std::move(clips), output);
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
    m_side->setVisible(!full);
    m_charts->setVisible(!full);
    menuBar()->setVisible(!full);
    setWindowState(windowState() ^ Qt::WindowFullScreen);
}

void MainWindow::showKeys() {
    QString table = "<table cellspacing='6'>";
    for (const QString& line : QString::fromUtf8(Keyboard::description()).split('\n')) {
        const QStringList parts = line.split('\t');
        table +=
            QString("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>").arg(parts.value(0), parts.value(1));
    }
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("Keys"), table + "</table>", QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
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

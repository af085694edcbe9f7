// What MainWindow remembers and restores: settings, unsaved work, history, full screen.

#include <QApplication>
#include <QCloseEvent>
#include <QMenuBar>
#include <QMessageBox>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QWindow>

#include "app/studio/banner.h"
#include "app/studio/bare_display.h"
#include "app/studio/main_window.h"
#include "app/studio/presenter.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/request_editor.h"
#include "widgets/panels/transport_bar.h"
#include "widgets/panels/view_bar.h"

namespace reelgrid::studio {

namespace {

constexpr const char* kWaits = "waits";  // property of the banner: it was hidden by full screen

struct RememberedToggle {
    const char* action;
    bool byDefault;
};
constexpr RememberedToggle kRemembered[] = {
    {"side-panel", true}, {"charts", true}, {"frame-numbers", true}, {"sharp-pixels", true}};

}  // namespace

void MainWindow::restoreSettings() {
    restoreGeometry(m_settings.state("window"));
    m_columns->restoreState(m_settings.state("columns"));
    m_stage->restoreState(m_settings.state("stage"));
    for (const auto& [action, byDefault] : kRemembered)
        (*m_actions)[action]->setChecked(m_settings.isOn(action, byDefault));
    const ThemeChoice theme = m_settings.theme();
    (*m_actions)["dark-theme"]->setChecked(theme == ThemeChoice::Dark);
    (*m_actions)["light-theme"]->setChecked(theme == ThemeChoice::Light);
    (*m_actions)["system-theme"]->setChecked(theme == ThemeChoice::Desktop);
    const QString language = m_settings.language();
    (*m_actions)["language-desktop"]->setChecked(language.isEmpty());
    (*m_actions)["language-english"]->setChecked(language == "en");
    (*m_actions)["language-german"]->setChecked(language == "de");
    setJobTimeout(m_settings.jobTimeoutSeconds());
    if (const auto folder = m_settings.resultsFolder(); !folder.empty()) m_renders->setResultsFolder(folder);
}

void MainWindow::saveSettings() {
    if (isFullScreen()) return;  // that is no size to come back to
    m_settings.setState("window", saveGeometry());
    m_settings.setState("columns", m_columns->saveState());
    m_settings.setState("stage", m_stage->saveState());
    for (const RememberedToggle& toggle : kRemembered)
        m_settings.setOn(toggle.action, (*m_actions)[toggle.action]->isChecked());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_sessions->history().look();
    if (const auto kept = m_unsaved->close(); !kept && !mayLoseWork(kept.error())) return event->ignore();
    saveSettings();
    event->accept();
}

bool MainWindow::mayLoseWork(const Error& why) {
    QMessageBox box(QMessageBox::Warning, tr("Quit"), tr("What isn't saved would be lost with this window."),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setInformativeText(
        tr("It can't be kept for the next one: %1").arg(QString::fromStdString(why.message)));
    box.setTextFormat(Qt::PlainText);
    box.setDefaultButton(QMessageBox::Save);
    const int answer = box.exec();
    if (answer == QMessageBox::Save) (*m_actions)["save"]->trigger();
    return answer == QMessageBox::Discard;
}

void MainWindow::offerUnsavedWork(const session::UnsavedWork& work) {
    const auto clips = int(work.session.clips.size());
    const QString what = work.file.empty()
                             ? tr("%n clip(s) in an unsaved session", nullptr, clips)
                             : tr("unsaved changes to %1").arg(QString::fromStdString(work.file.string()));
    m_banner->offer(
        work.leftBy == session::LeftBy::Crash ? tr("ReelGrid ended unexpectedly and kept %1.").arg(what)
                                              : tr("When ReelGrid was closed there were %1.").arg(what),
        tr("Go on with it"),
        [this] {
            const session::UnsavedWork left = *m_unsaved->leftWork();
            m_unsaved->forgetFound();
            m_sessions->openUnsaved(left);
        },
        tr("Forget it"), [this] { m_unsaved->forgetFound(); });
    showParts();
}

bool MainWindow::everyClipIsOpen() const {
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk && !clip.status.failed && m_playback->info(clip.id) == nullptr) return false;
    return true;
}

void MainWindow::connectHistory() {
    SessionHistory& history = m_sessions->history();
    for (const auto changed : {&Comparison::clipAdded, &Comparison::clipRemoved, &Comparison::clipArrived,
                               &Comparison::factsChanged})
        connect(m_comparison, changed, &history, &SessionHistory::lookSoon);
    connect(m_comparison, &Comparison::orderChanged, &history, &SessionHistory::lookSoon);
    connect(m_playback->player(), &widgets::Player::stateChanged, &history, &SessionHistory::lookSoon);
    connect(m_playback->player(), &widgets::Player::timelineChanged, &history, &SessionHistory::lookSoon);
    connect(m_actions, &Actions::triggered, &history, &SessionHistory::lookSoon);
    connect(&history, &SessionHistory::changed, this, &MainWindow::showHistory);
    connect(&history, &SessionHistory::changed, m_blindTest, &BlindTest::follow);
    // What the mouse and the wheel do to the view has no signal of its own.
    qApp->installEventFilter(this);
    showHistory();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    const bool isInput = event->type() == QEvent::MouseButtonRelease || event->type() == QEvent::Wheel ||
                         event->type() == QEvent::KeyRelease;
    if (isInput && watched->isWidgetType() && static_cast<QWidget*>(watched)->window() == this)
        m_sessions->history().lookSoon();
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::showHistory() {
    const SessionHistory& history = m_sessions->history();
    const auto show = [this](const char* id, const QString& text, bool possible, const QString& name) {
        QAction* action = (*m_actions)[id];
        action->setEnabled(possible);
        action->setText(name.isEmpty() ? text : text + ": " + name);
    };
    show("undo", tr("&Undo"), history.canUndo(), history.undoName());
    show("redo", tr("&Redo"), history.canRedo(), history.redoName());
    (*m_actions)["save-report"]->setEnabled(!m_comparison->clips().empty());
    setWindowModified(history.isUnsaved());
    (*m_actions)["frame-numbers"]->setChecked(m_grid->look().frameNumbers);
    (*m_actions)["sharp-pixels"]->setChecked(m_grid->look().magnified == session::MagnifiedPixels::Nearest);
    if (m_presenter->isRunning()) m_presenter->setPrompt(QString::fromStdString(m_editor->request().prompt));
}

void MainWindow::showParts() {
    const bool full = isFullScreen();
    m_side->setVisible(!full && (*m_actions)["side-panel"]->isChecked());
    m_charts->setVisible(!full && (*m_actions)["charts"]->isChecked());
    menuBar()->setVisible(!full);
    m_viewBar->setVisible(!full);
    // What it asks is not for an audience: afterwards.
    if (full && !m_banner->isHidden()) {
        m_banner->hide();
        m_banner->setProperty(kWaits, true);
    } else if (!full && m_banner->property(kWaits).toBool()) {
        m_banner->setProperty(kWaits, false);
        m_banner->show();
    }
    m_transport->setVisible(!m_presenter->isRunning());
    m_columns->setContentsMargins(full ? 0 : 8, full ? 0 : 4, full ? 0 : 8, full ? 0 : 8);
}

void MainWindow::setFullScreen(bool on) {
    if (on != isFullScreen()) {
        // One that begins full screen has no place to come back to: its title would be above the screen.
        if (on && !isVisible() && !testAttribute(Qt::WA_Moved))
            move(screen()->availableGeometry().center() - rect().center());
        if (on) m_beforeFullScreen = geometry();
        setWindowState(windowState() ^ Qt::WindowFullScreen);
        // The window's own: QWidget's would end the state.
        if (BareDisplay::isBare() && windowHandle() != nullptr)
            windowHandle()->setGeometry(on ? screen()->geometry() : m_beforeFullScreen);
    }
    (*m_actions)["full-screen"]->setChecked(on);
    showParts();
}

void MainWindow::setPresenting(bool on) {
    (*m_actions)["present"]->setChecked(on);
    if (on == m_presenter->isRunning()) return;
    if (on) {
        m_presenter->start(QString::fromStdString(m_editor->request().prompt));
        m_playback->player()->setLoop(widgets::LoopMode::Whole);
        m_playback->player()->play();
        m_grid->setFocus();
    } else {
        m_presenter->stop();
    }
    setFullScreen(on);
}

}  // namespace reelgrid::studio

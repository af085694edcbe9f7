// What the actions of MainWindow's File, Edit, View and Compare menus do.

#include <QApplication>
#include <QInputDialog>
#include <QMenuBar>
#include <QStackedWidget>
#include <algorithm>

#include "app/studio/blind_test_view.h"
#include "app/studio/cheat_sheet.h"
#include "app/studio/code_trust.h"
#include "app/studio/command_palette.h"
#include "app/studio/dialogs.h"
#include "app/studio/main_window.h"
#include "app/studio/theme_choice.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/plot_theme.h"
#include "widgets/charts/timing_chart.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

void MainWindow::connectFileActions() {
    const auto saveAs = [this] {
        if (const auto name = askForSessionName(this); !name.empty()) m_sessions->save(name);
    };
    m_actions->onTriggered("open", [this] { m_sessions->open(askForClipsOrSessions(this)); });
    m_actions->onTriggered("open-suite", [this] {
        if (const auto name = askForSuite(this); !name.empty()) m_sessions->open({name});
    });
    m_actions->onTriggered("open-demo", [this] { m_sessions->openDemo(); });
    m_actions->onTriggered("open-four-steps",
                           [this] { m_sessions->openDemo(SessionController::Demo::FourSteps); });
    m_actions->onTriggered("save", [this, saveAs] {
        if (m_sessions->file().empty())
            saveAs();
        else
            m_sessions->save(m_sessions->file());
    });
    m_actions->onTriggered("save-as", saveAs);
    connect(m_sessions, &SessionController::saveAsRequested, this, saveAs);
    m_actions->onTriggered("save-report", [this] {
        if (const auto name = askForReportName(this); !name.empty()) m_sessions->saveReport(name);
    });
    m_actions->onTriggered("export-grid", [this] {
        m_sessions->reopenReplaced();
        if (const auto name = askForExportName(this); !name.empty())
            m_exportJobs->start(m_sessions->shown(), name);
    });
    m_actions->onTriggered("save-picture", [this] {
        if (const auto name = askForPictureName(this); !name.empty()) savePicture(name);
    });
    m_actions->onTriggered("export-seen", [this] {
        m_sessions->reopenReplaced();
        if (const auto name = askForExportName(this); !name.empty())
            m_exportJobs->startView(m_playback->seenView(), name);
    });
    m_actions->onTriggered("export-with-charts", [this] {
        // Their charts are still to be drawn.
        if (m_sessions->reopenReplaced()) return;
        const auto name = askForExportName(this);
        if (name.empty()) return;
        SeenView view = m_playback->seenView();
        view.addCharts({m_timing, m_coherence});
        m_exportJobs->startView(std::move(view), name);
    });
    m_actions->onTriggered("save-tiles", [this] {
        if (const auto folder = askForFolder(this, tr("Where the pictures go")); !folder.empty())
            saveTiles(folder);
    });
    m_actions->onTriggered("model-folder", [this] { m_editorFiles->chooseModelFolder(); });
    m_actions->onTriggered("plugin", [this] {
        const auto name = askForPlugin(this);
        if (!name.empty() && mayRunCode(this, m_settings, name)) m_plugins->add(name);
    });
    m_actions->onTriggered("results-folder", [this] {
        const auto folder = askForFolder(this, tr("Where renders go"), m_renders->resultsFolder());
        if (folder.empty()) return;
        m_settings.setResultsFolder(folder);
        m_renders->setResultsFolder(folder);
    });
    m_actions->onTriggered("job-timeout", [this] { askForJobTimeout(); });
    m_actions->onTriggered("close", [this] {
        m_sessions->close();
        m_issues->clear();  // they were about what was on show
    });
    m_actions->onTriggered("quit", [this] { close(); });
    m_actions->onTriggered("palette", [this] { (new CommandPalette(*menuBar(), this))->show(); });
    m_actions->onTriggered("keys", [this] { showCheatSheet(*menuBar(), this); });
    m_actions->onTriggered("about", [this] { showAbout(this); });
}

const ComparedClip* MainWindow::selectedClip() const {
    const auto& clips = m_comparison->clips();
    const int tile = m_grid->selected() >= 0 ? m_grid->selected() : m_grid->solo();
    return tile >= 0 && tile < int(clips.size()) ? &clips[std::size_t(tile)] : nullptr;
}

void MainWindow::renameSelected() {
    const ComparedClip* clip = selectedClip();
    if (clip == nullptr) return;
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename clip"));
    dialog->setLabelText(tr("Label of %1 (empty: its backend’s name)").arg(clip->backend));
    dialog->setTextValue(clip->label);
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, id = clip->id](const QString& label) { m_comparison->setLabel(id, label.simplified()); });
    dialog->open();
}

void MainWindow::askForJobTimeout() {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Longest time of a render"));
    dialog->setLabelText(
        tr("Seconds after which a render is ended, saying what it was in (0: never).\n"
           "For attention plug-ins that may hang."));
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setIntRange(0, Settings::kLongestTimeout);
    dialog->setIntValue(m_settings.jobTimeoutSeconds());
    connect(dialog, &QInputDialog::intValueSelected, this, &MainWindow::setJobTimeout);
    dialog->open();
}

void MainWindow::setJobTimeout(int seconds) {
    m_settings.setJobTimeoutSeconds(seconds);
    m_renders->jobs().setTimeout(seconds > 0 ? std::optional(std::chrono::milliseconds(seconds * 1000LL))
                                             : std::nullopt);
}

void MainWindow::connectEditActions() {
    SessionHistory& history = m_sessions->history();
    m_actions->onTriggered("undo", [&history] { history.undo(); });
    m_actions->onTriggered("redo", [&history] { history.redo(); });
    m_actions->onTriggered("rename-clip", [this] { renameSelected(); });
    m_actions->onTriggered("remove-clip", [this] {
        const ComparedClip* clip = selectedClip();
        // A render under way would come back with its next word.
        if (clip != nullptr && (clip->onDisk || clip->status.failed)) m_comparison->remove(clip->id);
    });
    const auto moveBy = [this](int places) {
        const ComparedClip* clip = selectedClip();
        if (clip == nullptr) return;
        const int count = int(m_comparison->clips().size());
        const int place = std::clamp(int(clip - m_comparison->clips().data()) + places, 0, count - 1);
        m_comparison->move(clip->id, place);
        m_grid->select(place);
    };
    m_actions->onTriggered("clip-earlier", [moveBy] { moveBy(-1); });
    m_actions->onTriggered("clip-later", [moveBy] { moveBy(1); });
    m_actions->onTriggered("write-prompt", [this] { m_editor->writePrompt(); });
    m_actions->onTriggered("render", [this] { m_editor->submit(); });
    m_actions->onTriggered("resume-renders", [this] { m_renders->resumeAll(); });
}

void MainWindow::connectViewActions() {
    m_actions->onTriggered("all-tiles", [this] {
        if (isFullScreen()) {
            setPresenting(false);
            return setFullScreen(false);
        }
        m_grid->showAlone(-1);
        m_grid->resetZoom();
    });
    const auto columnsBy = [this](int more) {
        const int tiles = m_grid->tileCount();
        if (tiles == 0) return;
        const double ratio = m_grid->devicePixelRatioF();
        const int columns = m_grid->scene().columns(m_grid->size() * ratio, ratio);
        m_grid->setColumns(std::clamp(columns + more, 1, tiles));
    };
    m_actions->onTriggered("more-columns", [columnsBy] { columnsBy(1); });
    m_actions->onTriggered("fewer-columns", [columnsBy] { columnsBy(-1); });
    m_actions->onTriggered("own-columns", [this] { m_grid->setColumns(0); });
    m_actions->onToggled("side-panel", [this](bool) { showParts(); });
    m_actions->onToggled("charts", [this](bool) { showParts(); });
    m_actions->onToggled("frame-numbers", [this](bool on) { m_playback->setFrameNumbers(on); });
    m_actions->onToggled("sharp-pixels", [this](bool on) {
        m_grid->setMagnified(on ? session::MagnifiedPixels::Nearest : session::MagnifiedPixels::Smooth);
    });
    m_actions->onTriggered("full-screen", [this] { setFullScreen(!isFullScreen()); });
    m_actions->onTriggered("present", [this] { setPresenting((*m_actions)["present"]->isChecked()); });
}

void MainWindow::setTextPercent(int percent) {
    m_settings.setTextPercent(percent);
    setTheme(m_settings.theme());
}

void MainWindow::setTheme(ThemeChoice choice) {
    m_settings.setTheme(choice);
    widgets::applyTheme(*qApp, themeOf(choice), m_settings.textPercent());
}

void MainWindow::connectThemeActions() {
    constexpr int kStep = 10;
    m_actions->onTriggered("dark-theme", [this] { setTheme(ThemeChoice::Dark); });
    m_actions->onTriggered("light-theme", [this] { setTheme(ThemeChoice::Light); });
    m_actions->onTriggered("system-theme", [this] { setTheme(ThemeChoice::Desktop); });
    m_actions->onTriggered("larger-text", [this] { setTextPercent(m_settings.textPercent() + kStep); });
    m_actions->onTriggered("smaller-text", [this] { setTextPercent(m_settings.textPercent() - kStep); });
    m_actions->onTriggered("normal-text", [this] { setTextPercent(100); });
    m_actions->onTriggered("language-desktop", [this] { m_settings.setLanguage({}); });
    m_actions->onTriggered("language-english", [this] { m_settings.setLanguage("en"); });
    m_actions->onTriggered("language-german", [this] { m_settings.setLanguage("de"); });
    connect(new widgets::ThemeWatch(this), &widgets::ThemeWatch::changed, this, [this] {
        widgets::followTheme(*this);
        m_comparison->recolor();
    });
}

void MainWindow::connectCompareActions() {
    m_actions->onTriggered("blind-test", [this] { setBlindTest((*m_actions)["blind-test"]->isChecked()); });
    m_actions->onTriggered("blind-results", [this] { showBlindResults(m_blindTest->shown(), this); });
    m_actions->onTriggered("forget-votes", [this] { m_blindTest->forgetVotes(); });
    connect(m_blindTest, &BlindTest::votesChanged, &m_sessions->history(), &SessionHistory::look);
    connect(m_blindTest, &BlindTest::ended, this, [this] {
        showBlindTest(false);
        if (m_blindTest->voteCount() > 0 || m_blindTest->current().votesOfOthers() > 0)
            showBlindResults(m_blindTest->current(), this);
    });
    connect(m_blindView, &BlindTestView::clipFailed, m_issues, &widgets::IssuePanel::addIssue);
}

void MainWindow::setBlindTest(bool on) {
    if (!on) {
        showBlindTest(false);
        return m_blindTest->end();
    }
    const bool started = m_blindTest->start();
    if (!started)
        m_issues->addIssue(tr("Blind test: %n clip(s) on show, at least two were needed: open or render more",
                              nullptr, int(m_comparison->clips().size())));
    showBlindTest(started);
}

void MainWindow::startBlindTest(const std::shared_ptr<BlindClips>& clips) {
    m_blindTest->end();
    if (!m_blindTest->start(clips))
        return m_issues->addIssue(tr("Blind test: no two clips of the suite that differ in this alone"));
    showBlindTest(true);
    raise();
    activateWindow();
}

void MainWindow::showBlindTest(bool on) {
    if (on) {
        setPresenting(false);
        m_playback->player()->pause();
        m_pages->setCurrentWidget(m_blindView);
        m_blindView->setFocus();
    } else {
        m_pages->setCurrentIndex(0);
        m_grid->setFocus();
    }
    (*m_actions)["blind-test"]->setChecked(on);
}

}  // namespace reelgrid::studio

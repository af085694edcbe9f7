// The menus of MainWindow.

#include <QAction>
#include <QMenuBar>

#include "app/studio/dialogs.h"
#include "app/studio/main_window.h"

namespace reelgrid::studio {

void MainWindow::buildMenus() {
    buildFileMenu();
    buildViewMenu();
    m_looking->addTo(*menuBar());
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Keys"), QKeySequence("F1"), this, [this] { showKeys(this); });
    help->addAction(tr("&About ReelGrid"), this, [this] { showAbout(this); });
}

void MainWindow::buildFileMenu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open clips or session…"), QKeySequence::Open, this,
                    [this] { m_sessions->open(askForClipsOrSessions(this)); });
    file->addAction(tr("&Recent comparisons…"), QKeySequence("Ctrl+R"), m_sessions,
                    &SessionController::chooseRecent);
    file->addAction(tr("&Save session…"), QKeySequence::Save, this, [this] {
        if (const auto name = askForSessionName(this); !name.empty()) m_sessions->save(name);
    });
    file->addAction(tr("Save re&port…"), this, [this] {
        if (const auto name = askForReportName(this); !name.empty()) m_sessions->saveReport(name);
    });
    file->addSeparator();
    file->addAction(tr("&Export grid…"), QKeySequence("Ctrl+E"), this, [this] {
        if (const auto name = askForExportName(this); !name.empty())
            m_exportJobs->start(m_sessions->shown(), name);
    });
    file->addAction(tr("Export what is &seen…"), QKeySequence("Ctrl+Shift+E"), this, [this] {
        if (const auto name = askForExportName(this); !name.empty())
            m_exportJobs->startView(m_playback->seenView(), name);
    });
    file->addAction(tr("Save each &tile’s picture…"), this, [this] {
        if (const auto folder = askForFolder(this, tr("Where the pictures go")); !folder.empty())
            saveTiles(folder);
    });
    file->addSeparator();
    file->addAction(tr("Save &picture of the grid…"), QKeySequence("Ctrl+Shift+S"), this, [this] {
        if (const auto name = askForPictureName(this); !name.empty()) savePicture(name);
    });
    file->addSeparator();
    file->addAction(tr("Choose &model folder…"), m_editorFiles, &EditorFiles::chooseModelFolder);
    file->addAction(tr("Choose &results folder…"), this, [this] {
        const auto folder = askForFolder(this, tr("Where renders go"), m_renders->resultsFolder());
        if (!folder.empty()) m_renders->setResultsFolder(folder);
    });
    file->addSeparator();
    file->addAction(tr("&Close comparison"), QKeySequence("Ctrl+W"), m_sessions, &SessionController::close);
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::buildViewMenu() {
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
    connect(toggle(tr("Sharp &pixels"), {}, true), &QAction::toggled, m_grid, [this](bool sharp) {
        m_grid->setMagnified(sharp ? session::MagnifiedPixels::Nearest : session::MagnifiedPixels::Smooth);
    });
    view->addSeparator();
    view->addAction(tr("&Full screen\tF"), this, &MainWindow::toggleFullScreen);
}

}  // namespace reelgrid::studio

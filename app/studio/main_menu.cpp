// The menus of MainWindow, from the table of actions.

#include <QActionGroup>
#include <QMenuBar>
#include <initializer_list>

#include "app/studio/main_window.h"
#include "app/studio/measure/measure_tools.h"
#include "app/studio/playback_actions.h"

namespace reelgrid::studio {

namespace {

/// An empty id is a line between two groups.
void fill(QMenu& menu, const Actions& actions, std::initializer_list<const char*> ids) {
    for (const char* id : ids) {
        if (*id == '\0')
            menu.addSeparator();
        else
            menu.addAction(actions[id]);
    }
}

}  // namespace

void MainWindow::buildMenus() {
    buildFileMenu();
    buildEditMenu();
    buildRenderMenu();
    buildPlayMenu();
    buildViewMenu();
    m_looking->addTo(*menuBar());
    buildCompareMenu();
    buildMeasureMenu();
    buildHelpMenu();
    connectFileActions();
    connectEditActions();
    connectPlayActions(*m_actions, *m_playback->player(), *m_shuttle);
    connectTileActions(*m_actions, *m_grid);
    connectViewActions();
    connectThemeActions();
    connectCompareActions();
    m_renderMenu->connectTo(*m_actions);
    m_measureTools->connectTo(*m_actions);
    m_sound->connectTo(*m_actions);
}

void MainWindow::buildFileMenu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    fill(*file, *m_actions, {"open", "open-suite"});
    QMenu* recent = file->addMenu(tr("Open recen&t"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] {
        recent->clear();
        const QStringList files = m_settings.recentFiles();
        for (const QString& name : files)
            recent->addAction(QString(name).replace('&', "&&"), m_sessions,
                              [this, name] { m_sessions->open({name.toStdString()}); });
        if (files.isEmpty()) recent->addAction(tr("Nothing was opened yet"))->setEnabled(false);
        recent->addSeparator();
        recent->addAction(tr("&Forget these"), this, [this] { m_settings.forgetRecentFiles(); })
            ->setEnabled(!files.isEmpty());
    });
    fill(*file, *m_actions,
         {"open-demo", "open-four-steps", "", "save", "save-as", "save-report", "", "export-grid",
          "export-seen", "export-with-charts", "save-picture", "save-tiles", "", "model-folder", "plugin",
          "results-folder", "", "close", "quit"});
}

void MainWindow::buildEditMenu() {
    fill(*menuBar()->addMenu(tr("&Edit")), *m_actions,
         {"undo", "redo", "", "rename-clip", "clip-earlier", "clip-later", "remove-clip"});
}

void MainWindow::buildRenderMenu() {
    fill(*menuBar()->addMenu(tr("&Render")), *m_actions,
         {"write-prompt", "render", "matrix", "", "models", "library", "machines", "", "resume-renders",
          "job-timeout"});
}

void MainWindow::buildPlayMenu() {
    fill(*menuBar()->addMenu(tr("&Play")), *m_actions,
         {"play",
          "play-backwards",
          "pause",
          "play-forwards",
          "",
          "frame-on",
          "frame-back",
          "ten-on",
          "ten-back",
          "second-on",
          "second-back",
          "first-frame",
          "last-frame",
          "",
          "mark-in",
          "mark-out",
          "clear-range",
          "loop",
          "",
          "slower",
          "faster",
          "normal-speed",
          "",
          "mute",
          "louder",
          "quieter"});
}

void MainWindow::buildViewMenu() {
    QMenu* view = menuBar()->addMenu(tr("&View"));
    fill(*view, *m_actions, {"all-tiles", "next-tile", "previous-tile"});
    fill(*view->addMenu(tr("T&ile alone")), *m_actions,
         {"tile-1", "tile-2", "tile-3", "tile-4", "tile-5", "tile-6", "tile-7", "tile-8", "tile-9"});
    fill(*view->addMenu(tr("Co&lumns")), *m_actions, {"more-columns", "fewer-columns", "own-columns"});
    fill(*view, *m_actions, {"", "frame-numbers", "sharp-pixels", "", "side-panel", "charts", ""});
    fill(*view->addMenu(tr("T&heme")), *m_actions, {"dark-theme", "light-theme", "system-theme"});
    fill(*view->addMenu(tr("Te&xt size")), *m_actions, {"larger-text", "smaller-text", "normal-text"});
    fill(*view->addMenu(tr("Langua&ge")), *m_actions,
         {"language-desktop", "language-english", "language-german"});
    fill(*view, *m_actions, {"", "full-screen", "present"});
    auto* languages = new QActionGroup(this);
    for (const char* id : {"language-desktop", "language-english", "language-german"})
        languages->addAction((*m_actions)[id]);
    auto* themes = new QActionGroup(this);
    for (const char* id : {"dark-theme", "light-theme", "system-theme"}) themes->addAction((*m_actions)[id]);
}

void MainWindow::buildCompareMenu() {
    fill(*menuBar()->addMenu(tr("&Compare")), *m_actions, {"blind-test", "blind-results", "forget-votes"});
}

void MainWindow::buildMeasureMenu() {
    fill(*menuBar()->addMenu(tr("&Measure")), *m_actions,
         {"compute-metrics", "", "measure-kernels", "measure-vae", "tune", "", "error-maps", "captures",
          "trace", "compare-traces", "", "open-result"});
}

void MainWindow::buildHelpMenu() {
    fill(*menuBar()->addMenu(tr("&Help")), *m_actions, {"palette", "keys", "", "about"});
}

}  // namespace reelgrid::studio

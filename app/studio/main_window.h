#pragma once

#include <QElapsedTimer>
#include <QMainWindow>
#include <filesystem>

#include "app/studio/actions.h"
#include "app/studio/background_thread.h"
#include "app/studio/blind_test.h"
#include "app/studio/clip_sound.h"
#include "app/studio/comparison.h"
#include "app/studio/editor_files.h"
#include "app/studio/export_jobs.h"
#include "app/studio/grid_export.h"
#include "app/studio/looking_actions.h"
#include "app/studio/measuring.h"
#include "app/studio/playback.h"
#include "app/studio/plugin_backends.h"
#include "app/studio/render_controller.h"
#include "app/studio/render_menu.h"
#include "app/studio/session_controller.h"
#include "app/studio/settings.h"
#include "app/studio/shuttle.h"
#include "app/studio/unsaved_work_keeper.h"

class QSplitter;
class QStackedWidget;

namespace reelgrid::widgets {
class IssuePanel;
class JobPanel;
class RequestEditor;
class TimingChart;
class TransportBar;
class ViewBar;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class Banner;
class BlindTestView;
class MeasureTools;
class Presenter;
class SuiteWindows;

/// The window: puts the parts in their places and connects them. What they do is theirs.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(machine::LocalMachine machine = {}, QWidget* parent = nullptr);
    ~MainWindow() override;

    void savePicture(const std::filesystem::path& file);
    /// Full screen and repeating, with captions.
    void setPresenting(bool on);
    void setFullScreen(bool on);
    /// Each tile's frame as it was decoded, at its own size, as a PNG of its own.
    void saveTiles(const std::filesystem::path& folder);

    [[nodiscard]] Actions& actions() { return *m_actions; }
    [[nodiscard]] Settings& settings() { return m_settings; }
    [[nodiscard]] Comparison& comparison() { return *m_comparison; }
    [[nodiscard]] Playback& playback() { return *m_playback; }
    [[nodiscard]] ClipSound& sound() { return *m_sound; }
    [[nodiscard]] LookingActions& looking() { return *m_looking; }
    [[nodiscard]] GridExport& gridExport() { return *m_export; }
    [[nodiscard]] ExportJobs& exports() { return *m_exportJobs; }
    [[nodiscard]] RenderController& renders() { return *m_renders; }
    [[nodiscard]] RenderMenu& renderMenu() { return *m_renderMenu; }
    [[nodiscard]] widgets::TimingChart& timingChart() { return *m_timing; }
    [[nodiscard]] widgets::CoherenceChart& coherenceChart() { return *m_coherence; }
    [[nodiscard]] SessionController& sessions() { return *m_sessions; }
    [[nodiscard]] EditorFiles& editorFiles() { return *m_editorFiles; }
    [[nodiscard]] MeasureTools& measuring() { return *m_measureTools; }
    [[nodiscard]] SuiteWindows& suites() { return *m_suites; }
    [[nodiscard]] PluginBackends& plugins() { return *m_plugins; }
    [[nodiscard]] widgets::VideoGrid& grid() { return *m_grid; }
    [[nodiscard]] widgets::RequestEditor& editor() { return *m_editor; }
    [[nodiscard]] widgets::IssuePanel& issues() { return *m_issues; }
    [[nodiscard]] widgets::JobPanel& jobs() { return *m_jobs; }
    [[nodiscard]] BlindTest& blindTest() { return *m_blindTest; }
    [[nodiscard]] BlindTestView& blindTestView() { return *m_blindView; }
    [[nodiscard]] Presenter& presenter() { return *m_presenter; }
    [[nodiscard]] Banner& banner() { return *m_banner; }

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* buildSide();
    QWidget* buildStage();
    QWidget* buildGrid();
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildRenderMenu();
    void buildPlayMenu();
    void buildViewMenu();
    void buildCompareMenu();
    void buildMeasureMenu();
    void buildHelpMenu();
    void connectFileActions();
    void connectEditActions();
    void connectViewActions();
    void connectThemeActions();
    void connectCompareActions();
    void connectRenders();
    void connectPlugins();
    void connectSessions();
    void connectSuites();
    void connectHistory();
    void connectIssues();
    /// Asks a person where unsaved work can't be kept; saving keeps the window open.
    bool mayLoseWork(const Error& why);
    void offerUnsavedWork(const session::UnsavedWork& work);
    void restoreSettings();
    void saveSettings();
    void showParts();
    void showLog(const QString& job);
    void showHistory();
    void renameSelected();
    void askForJobTimeout();
    void setJobTimeout(int seconds);
    void setTextPercent(int percent);
    void setTheme(ThemeChoice choice);
    void setBlindTest(bool on);
    void startBlindTest(const std::shared_ptr<BlindClips>& clips);
    void showBlindTest(bool on);
    [[nodiscard]] const ComparedClip* selectedClip() const;
    [[nodiscard]] bool everyClipIsOpen() const;

    machine::LocalMachine m_machine;
    Settings m_settings;
    Actions* m_actions;
    Comparison* m_comparison;
    BackgroundThread* m_background;
    GridExport* m_export;
    widgets::RequestEditor* m_editor;
    widgets::JobPanel* m_jobs;
    widgets::IssuePanel* m_issues;
    widgets::VideoGrid* m_grid;
    widgets::TimingChart* m_timing;
    widgets::CoherenceChart* m_coherence;
    Playback* m_playback;
    ClipSound* m_sound;
    LookingActions* m_looking;
    Measuring* m_measuring;
    RenderController* m_renders;
    ExportJobs* m_exportJobs;
    EditorFiles* m_editorFiles;
    PluginBackends* m_plugins;
    SessionController* m_sessions;
    RenderMenu* m_renderMenu;
    MeasureTools* m_measureTools;
    SuiteWindows* m_suites;
    UnsavedWorkKeeper* m_unsaved;
    Shuttle* m_shuttle;
    BlindTestView* m_blindView;
    BlindTest* m_blindTest;
    Presenter* m_presenter;
    Banner* m_banner;
    widgets::ViewBar* m_viewBar;
    widgets::TransportBar* m_transport;
    QStackedWidget* m_pages = nullptr;  // the comparison, the blind test
    QSplitter* m_columns = nullptr;
    QSplitter* m_stage = nullptr;
    QWidget* m_side = nullptr;
    QWidget* m_charts = nullptr;
    QElapsedTimer m_rendering;
    QRect m_beforeFullScreen;
};

}  // namespace reelgrid::studio

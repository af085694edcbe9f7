#pragma once

#include <QMainWindow>
#include <filesystem>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "app/studio/editor_files.h"
#include "app/studio/export_jobs.h"
#include "app/studio/grid_export.h"
#include "app/studio/keyboard.h"
#include "app/studio/looking_actions.h"
#include "app/studio/measuring.h"
#include "app/studio/playback.h"
#include "app/studio/render_controller.h"
#include "app/studio/session_controller.h"

class QAction;

namespace reelgrid::widgets {
class IssuePanel;
class JobPanel;
class RequestEditor;
class TimingChart;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// The window: puts the parts in their places and connects them. What they do is theirs.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    void savePicture(const std::filesystem::path& file);
    /// Each tile's frame as it was decoded, at its own size, as a PNG of its own.
    void saveTiles(const std::filesystem::path& folder);

    [[nodiscard]] Comparison& comparison() { return *m_comparison; }
    [[nodiscard]] Playback& playback() { return *m_playback; }
    [[nodiscard]] LookingActions& looking() { return *m_looking; }
    [[nodiscard]] GridExport& gridExport() { return *m_export; }
    [[nodiscard]] ExportJobs& exports() { return *m_exportJobs; }
    [[nodiscard]] RenderController& renders() { return *m_renders; }
    [[nodiscard]] SessionController& sessions() { return *m_sessions; }
    [[nodiscard]] EditorFiles& editorFiles() { return *m_editorFiles; }
    [[nodiscard]] widgets::VideoGrid& grid() { return *m_grid; }
    [[nodiscard]] widgets::RequestEditor& editor() { return *m_editor; }
    [[nodiscard]] widgets::IssuePanel& issues() { return *m_issues; }
    [[nodiscard]] widgets::JobPanel& jobs() { return *m_jobs; }

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* buildSide();
    QWidget* buildStage();
    QWidget* buildGrid();
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void connectRenders();
    void connectSessions();
    void connectIssues();
    void showLog(const QString& job);
    void toggleFullScreen();

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
    LookingActions* m_looking;
    Measuring* m_measuring;
    RenderController* m_renders;
    ExportJobs* m_exportJobs;
    EditorFiles* m_editorFiles;
    SessionController* m_sessions;
    QWidget* m_side = nullptr;
    QWidget* m_charts = nullptr;
    QAction* m_showSide = nullptr;
    QAction* m_showCharts = nullptr;
    Keyboard m_keyboard;
};

}  // namespace reelgrid::studio

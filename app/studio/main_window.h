#pragma once

#include <QMainWindow>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "app/studio/export_jobs.h"
#include "app/studio/grid_export.h"
#include "app/studio/keyboard.h"
#include "app/studio/measuring.h"
#include "app/studio/playback.h"
#include "app/studio/recent_comparisons.h"
#include "app/studio/render_controller.h"
#include "app/studio/session_files.h"
#include "app/studio/shown_session.h"

class QAction;
class QStackedWidget;

namespace reelgrid::widgets {
class IssuePanel;
class JobPanel;
class RequestEditor;
class TimingChart;
class TransportBar;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// The window: puts the parts in their places and connects them. What they do is theirs.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Clips are added to the comparison, a session replaces it. Returns at once.
    void open(const std::vector<std::filesystem::path>& paths);
    void exportGrid(const std::filesystem::path& output);
    void savePicture(const std::filesystem::path& file);
    void saveSession(const std::filesystem::path& file);
    void saveReport(const std::filesystem::path& file);
    void closeComparison();
    /// Reads an attention policy into the request; one that can't be read is an issue.
    void readPolicy(const std::filesystem::path& file);

    [[nodiscard]] Comparison& comparison() { return *m_comparison; }
    [[nodiscard]] Playback& playback() { return *m_playback; }
    [[nodiscard]] GridExport& gridExport() { return *m_export; }
    [[nodiscard]] RenderController& renders() { return *m_renders; }
    [[nodiscard]] RecentComparisons& recent() { return *m_recent; }
    [[nodiscard]] SessionFiles& sessions() { return *m_sessions; }
    [[nodiscard]] widgets::VideoGrid& grid() { return *m_grid; }
    [[nodiscard]] widgets::RequestEditor& editor() { return *m_editor; }
    [[nodiscard]] widgets::IssuePanel& issues() { return *m_issues; }
    [[nodiscard]] widgets::JobPanel& jobs() { return *m_jobs; }

  Q_SIGNALS:
    void reportSaved(const std::filesystem::path& file);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* buildSide();
    QWidget* buildStage();
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void loadInBackground();
    void loadPromptGuide();
    void connectRenders();
    void connectSessions();
    void addClip(const std::filesystem::path& path);
    void showSession(const session::Session& session, const std::filesystem::path& file, SessionPart part);
    void saveSettled(const RenderedComparison& settled, bool onShow);
    void showName();
    void showRecent();
    void showLog(const QString& job);
    /// A file of that name that is no report of ours is replaced only where somebody chose it.
    enum class Foreign { Keep, Replace };
    void writeReportOf(const session::Session& session, const std::filesystem::path& file, Foreign foreign);
    void chooseModelFolder();
    void choosePolicyFile();
    void addModel(const std::string& idOrFolder);
    void showEmptyOrGrid();
    void toggleFullScreen();

    Comparison* m_comparison;
    BackgroundThread* m_background;
    RecentComparisons* m_recent;
    GridExport* m_export;
    widgets::RequestEditor* m_editor;
    widgets::JobPanel* m_jobs;
    widgets::IssuePanel* m_issues;
    widgets::VideoGrid* m_grid;
    widgets::TimingChart* m_timing;
    widgets::CoherenceChart* m_coherence;
    Playback* m_playback;
    Measuring* m_measuring;
    RenderController* m_renders;
    ExportJobs* m_exportJobs;
    SessionFiles* m_sessions;
    QStackedWidget* m_stage = nullptr;
    QWidget* m_side = nullptr;
    QWidget* m_charts = nullptr;
    QAction* m_showSide = nullptr;
    QAction* m_showCharts = nullptr;
    ShownSession m_shown;
    std::filesystem::path m_shownFile;  // of the session on show; empty: it has none yet
    Keyboard m_keyboard;
};

}  // namespace reelgrid::studio

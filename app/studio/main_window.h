#pragma once

#include <QMainWindow>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "app/studio/grid_export.h"
#include "app/studio/keyboard.h"
#include "app/studio/playback.h"

class QStackedWidget;

namespace reelgrid::widgets {
class IssuePanel;
class JobPanel;
class RequestEditor;
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

    [[nodiscard]] Comparison& comparison() { return *m_comparison; }
    [[nodiscard]] Playback& playback() { return *m_playback; }
    [[nodiscard]] GridExport& gridExport() { return *m_export; }
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
    void buildMenus();
    void connectExport();
    void loadLater();
    void addClip(const std::filesystem::path& path);
    void askForFiles();
    void askForExport();
    void showEmptyOrGrid();
    void toggleFullScreen();
    void showKeys();

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
    QStackedWidget* m_stage = nullptr;
    QWidget* m_side = nullptr;
    QWidget* m_charts = nullptr;
    Keyboard m_keyboard;
};

}  // namespace reelgrid::studio

#pragma once

#include <QObject>
#include <filesystem>
#include <map>

#include "widgets/panels/job_panel.h"

namespace reelgrid::widgets {
class IssuePanel;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class GridExport;
class ShownSession;
struct SeenView;

/// Starts exports and shows them as jobs, with progress and cancel; one that fails is an issue too. GUI
/// thread.
class ExportJobs : public QObject {
    Q_OBJECT

  public:
    ExportJobs(GridExport* exports, widgets::JobPanel* panel, widgets::IssuePanel* issues,
               QObject* parent = nullptr);
    /// Of the clips on show; an issue where there is none.
    void start(const ShownSession& shown, const std::filesystem::path& output);
    /// Of what is seen, in whatever way it is looked at.
    void startView(SeenView view, const std::filesystem::path& output);
    /// Null when the job is no export.
    [[nodiscard]] const widgets::JobView* find(const QString& id) const;

  private:
    void show(const QString& id, jobs::JobState state, const QString& status, double progress);

    GridExport* m_exports;
    widgets::JobPanel* m_panel;
    widgets::IssuePanel* m_issues;
    std::map<QString, widgets::JobView> m_views;
};

}  // namespace reelgrid::studio

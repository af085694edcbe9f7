#include "app/studio/export_jobs.h"

#include <QFileInfo>
#include <utility>

#include "app/studio/grid_export.h"
#include "app/studio/shown_session.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

using jobs::JobState;

ExportJobs::ExportJobs(GridExport* exports, widgets::JobPanel* panel, widgets::IssuePanel* issues,
                       QObject* parent)
    : QObject(parent), m_exports(exports), m_panel(panel), m_issues(issues) {
    connect(exports, &GridExport::started, this, [this](const QString& id, const QString& output) {
        widgets::JobView& view = m_views[id];
        view.title = QFileInfo(output).fileName();
        view.color = widgets::theme::kQuiet;
        view.repeatable = false;
        show(id, JobState::Running, tr("exporting"), 0);
    });
    connect(exports, &GridExport::progressed, this, [this](const QString& id, int done, int count) {
        show(id, JobState::Running, tr("exporting %1 / %2").arg(done).arg(count),
             count > 0 ? double(done) / count : 0);
    });
    connect(exports, &GridExport::finished, this, [this](const QString& id, const QString&, int frames) {
        show(id, JobState::Done, tr("exported, %1 frames").arg(frames), 1);
    });
    connect(exports, &GridExport::remarked, m_issues, &widgets::IssuePanel::addIssue);
    connect(exports, &GridExport::cancelled, this,
            [this](const QString& id) { show(id, JobState::Cancelled, tr("cancelled"), 0); });
    connect(exports, &GridExport::failed, this, [this](const QString& id, const QString& message) {
        show(id, JobState::Failed, message, 0);
        m_issues->addIssue(message);
    });
    connect(panel, &widgets::JobPanel::cancelRequested, exports, &GridExport::cancel);
}

void ExportJobs::start(const ShownSession& shown, const std::filesystem::path& output) {
    std::vector<media::LabelledClip> clips = shown.clipsToExport();
    if (clips.empty())
        m_issues->addIssue(tr("Export grid: 0 clips on show, at least one was needed"));
    else
        m_exports->start(std::move(clips), output, shown.exportOptions());
}

void ExportJobs::startView(SeenView view, const std::filesystem::path& output) {
    m_exports->start(std::move(view), output);
}

const widgets::JobView* ExportJobs::find(const QString& id) const {
    const auto found = m_views.find(id);
    return found == m_views.end() ? nullptr : &found->second;
}

void ExportJobs::show(const QString& id, JobState state, const QString& status, double progress) {
    widgets::JobView& view = m_views[id];
    view.state = state;
    view.status = status;
    view.progress = progress;
    m_panel->setJob(id, view);
}

}  // namespace reelgrid::studio

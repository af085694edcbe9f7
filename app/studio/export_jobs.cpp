#include "app/studio/export_jobs.h"

#include <QFileInfo>

#include "app/studio/grid_export.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

using widgets::JobState;

void showExportsAsJobs(GridExport* exports, widgets::JobPanel* jobs, widgets::IssuePanel* issues) {
    const auto show = [jobs](const QString& id, JobState state, const QString& status, double progress) {
        widgets::JobView job = jobs->job(id);
        job.state = state;
        job.status = status;
        job.progress = progress;
        job.repeatable = false;
        jobs->setJob(id, job);
    };
    QObject::connect(exports, &GridExport::started, jobs, [jobs](const QString& id, const QString& output) {
        widgets::JobView job;
        job.title = QFileInfo(output).fileName();
        job.color = widgets::theme::kQuiet;
        job.state = JobState::Running;
        job.status = QObject::tr("exporting");
        jobs->setJob(id, job);
    });
    QObject::connect(exports, &GridExport::progressed, jobs, [show](const QString& id, int done, int count) {
        show(id, JobState::Running, QObject::tr("exporting %1 / %2").arg(done).arg(count),
             count > 0 ? double(done) / count : 0);
    });
    QObject::connect(exports, &GridExport::finished, jobs,
                     [show](const QString& id, const QString&, int frames) {
                         show(id, JobState::Done, QObject::tr("exported, %1 frames").arg(frames), 1);
                     });
    QObject::connect(exports, &GridExport::cancelled, jobs, [show](const QString& id) {
        show(id, JobState::Cancelled, QObject::tr("cancelled"), 0);
    });
    QObject::connect(exports, &GridExport::failed, jobs,
                     [show, issues](const QString& id, const QString& message) {
                         show(id, JobState::Failed, message, 0);
                         issues->addIssue(message);
                     });
    QObject::connect(jobs, &widgets::JobPanel::cancelRequested, exports, &GridExport::cancel);
}

}  // namespace reelgrid::studio

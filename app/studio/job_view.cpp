#include "app/studio/job_view.h"

#include <QObject>
#include <algorithm>

#include "core/base/byte_count.h"
#include "core/comparison/caption.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

using jobs::JobState;

using widgets::text;

QString stageText(const protocol::RenderProgress& progress) {
    if (progress.stage.empty()) return QObject::tr("starting");
    if (progress.total <= 1) return text(progress.stage);
    return QString("%1 %2 / %3").arg(text(progress.stage)).arg(progress.done).arg(progress.total);
}

/// What the render will take is said while there is still time to cancel it for that.
QString memoryText(const protocol::RenderProgress& progress) {
    const bool isBeforeSteps =
        progress.stage == "load" || progress.stage == "text" || progress.stage == "image";
    if (progress.predictedPeakBytes == 0 || !isBeforeSteps) return {};
    return QObject::tr(" · will take about %1 of memory")
        .arg(widgets::localText(byteCount(progress.predictedPeakBytes)));
}

/// Of the whole job: a bar that starts anew with every stage would run backwards.
double fractionOf(const protocol::RenderProgress& progress) {
    if (progress.etaSeconds >= 0 && progress.elapsedSeconds > 0)
        return progress.elapsedSeconds / (progress.elapsedSeconds + progress.etaSeconds);
    constexpr double kAfterDenoising =
        0.77;  // as the estimate has it until the next stage has run for a while
    const std::string& stage = progress.stage;
    if (stage.empty() || stage == "load" || stage == "text") return 0;
    if (stage != "denoise") return kAfterDenoising;
    return progress.total > 0 ? kAfterDenoising * std::clamp(double(progress.done) / progress.total, 0.0, 1.0)
                              : 0;
}

/// " · ssh://gpu03"; empty of a job of this machine.
QString machineText(const jobs::Job& job) {
    return job.machine.empty() ? QString() : " · " + text(job.machine);
}

QString statusOf(const jobs::Job& job) {
    switch (job.state) {
        case JobState::Queued:
            return job.givenBack.empty() ? QObject::tr("waiting")
                                         : QObject::tr("waiting again: %1").arg(text(job.givenBack));
        case JobState::Running:
            return job.cancelling ? QObject::tr("cancelling")
                                  : stageText(job.progress) + machineText(job) + memoryText(job.progress);
        case JobState::Done:
            return QObject::tr("done in %1 s").arg(widgets::fixedText(job.progress.elapsedSeconds, 1)) +
                   machineText(job);
        case JobState::Failed:
            return text(job.error.message);
        case JobState::Cancelled:
            return canResume(job)
                       ? QObject::tr("cancelled, %1 of %2 steps kept").arg(job.stepsKept).arg(job.steps)
                       : QObject::tr("cancelled");
    }
    return {};
}

QString statusOf(const result::InterruptedRender& render) {
    const result::UnfinishedRender& left = render.left;
    if (!render.obstacle.empty())
        return QObject::tr("interrupted, can’t go on: %1").arg(text(render.obstacle));
    if (left.stepsKept == 0) return QObject::tr("interrupted before a step was kept");
    return QObject::tr("interrupted at step %1 of %2").arg(left.stepsKept).arg(left.steps);
}

widgets::JobView titled(const protocol::RenderRequest& request) {
    widgets::JobView view;
    view.title = text(comparison::captionOf(request).text());
    view.color = widgets::backendColor(view.title);
    return view;
}

}  // namespace

widgets::JobView viewOf(const jobs::Job& job) {
    widgets::JobView view = titled(job.request);
    view.state = job.state;
    view.status = statusOf(job);
    view.leftover = isFinished(job.state) && job.stepsKept > 0;
    view.resumable = canResume(job);
    if (job.state == JobState::Running) {
        view.progress = fractionOf(job.progress);
        view.etaSeconds = job.cancelling ? -1 : job.progress.etaSeconds;
    }
    return view;
}

widgets::JobView viewOf(const result::InterruptedRender& render) {
    const result::UnfinishedRender& left = render.left;
    widgets::JobView view = titled(left.request);
    view.state = JobState::Cancelled;
    view.status = statusOf(render);
    view.subject = text(left.request.prompt).simplified();
    view.leftover = true;
    view.resumable = left.stepsKept > 0;
    return view;
}

}  // namespace reelgrid::studio

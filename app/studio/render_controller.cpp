#include "app/studio/render_controller.h"

#include <QStandardPaths>
#include <algorithm>

#include "app/studio/job_view.h"
#include "core/comparison/caption.h"
#include "core/comparison/entry.h"

namespace reelgrid::studio {

namespace {

using jobs::Job;
using jobs::JobState;

/// In the place of an earlier one by the same backend.
void addRender(const session::SessionClip& clip, RenderedComparison& comparison) {
    auto& clips = comparison.session.clips;
    std::erase_if(clips, [&](const session::SessionClip& each) {
        return each.path == clip.path || each.attentionType == clip.attentionType;
    });
    clips.push_back(clip);
}

/// What has become of a render, in the place of what became of an earlier try.
void addEnd(const Job& job, const comparison::Caption& caption, RenderedComparison& comparison) {
    const std::filesystem::path output = job.request.output;
    std::erase_if(comparison.failed, [&](const comparison::Entry& each) { return each.clip == output; });
    if (job.state == JobState::Done) addRender({job.clip, caption.name, caption.name, 0}, comparison);
    if (job.state == JobState::Failed) comparison.failed.push_back({caption, output, job.error, {}});
}

}  // namespace

RenderController::RenderController(Comparison* comparison, widgets::JobPanel* panel, QObject* parent)
    : QObject(parent), m_comparison(comparison), m_panel(panel) {
    const QString movies = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
    m_resultsFolder = std::filesystem::path(movies.toStdString()) / "ReelGrid";
    connect(&m_jobs, &RenderJobs::changed, this, &RenderController::follow);
    connect(m_panel, &widgets::JobPanel::cancelRequested, this,
            [this](const QString& job) { report(m_jobs.cancel(job.toStdString())); });
    connect(m_panel, &widgets::JobPanel::retryRequested, this,
            [this](const QString& job) { report(m_jobs.retry(job.toStdString())); });
}

void RenderController::setResultsFolder(const std::filesystem::path& folder) {
    m_resultsFolder = folder;
    Q_EMIT resultsFolderChanged();
}

void RenderController::setOpened(const session::Session& session, const std::filesystem::path& file) {
    m_current = std::make_shared<RenderedComparison>(openedComparison(session, file, m_resultsFolder));
}

void RenderController::render(const protocol::RenderRequest& request, QStringList backends,
                              const families::ModelInfo& model) {
    comparison::putReferenceFirst(backends, [](const QString& name) { return name.toStdString(); });
    if (!m_current || !isSameSubject(request, m_current->session.request, model)) {
        m_comparison->clear();
        m_current = std::make_shared<RenderedComparison>(newComparison(request, m_resultsFolder));
        Q_EMIT began();
    }
    // Now, so that the next comparison finds the name taken; a failure is the first job's to report.
    std::error_code ignored;
    std::filesystem::create_directories(m_current->folder, ignored);
    m_panel->removeFinished();
    for (const QString& backend : backends) {
        const auto own = requestFor(request, backend.toStdString(), model, m_current->folder);
        const auto id = m_jobs.submit(own);
        if (!id) {
            Q_EMIT failed(QString::fromStdString(id.error().message));
            continue;
        }
        const Job& job = *m_jobs.find(*id);
        const widgets::JobView view = viewOf(job);
        ComparedClip clip;
        clip.label = view.title;
        clip.backend = view.title;
        clip.path = own.output;
        clip.status = {view.status, view.progress};
        removeEarlierTiles(clip);
        m_places[*id] = {m_current, m_comparison->add(std::move(clip))};
        m_panel->setJob(QString::fromStdString(*id), view);
    }
}

/// The same backend again takes the place of its earlier clip.
void RenderController::removeEarlierTiles(const ComparedClip& clip) {
    const auto isTaken = [&](const ComparedClip& each) {
        if (each.path == clip.path) return true;
        // A clip that a person put beside the comparison is none of its renders.
        const auto& own = m_current->session.clips;
        return each.backend == clip.backend &&
               std::ranges::find(own, each.path, &session::SessionClip::path) != own.end();
    };
    std::vector<int> earlier;
    for (const ComparedClip& each : m_comparison->clips())
        if (isTaken(each)) earlier.push_back(each.id);
    for (const int id : earlier) m_comparison->remove(id);
}

void RenderController::follow(const Job& before, const Job& now) {
    const auto place = m_places.find(now.id);
    if (place == m_places.end()) return;
    RenderedComparison& comparison = *place->second.comparison;
    m_panel->setJob(QString::fromStdString(now.id), viewOf(now));
    showInGrid(now, place->second.clip);
    if (!isFinished(now.state) || isFinished(before.state)) return;
    const auto caption = comparison::captionOf(now.request.attentionType, now.request.attentionPolicy);
    addEnd(now, caption, comparison);
    if (isSettled(comparison)) Q_EMIT comparisonSettled(comparison, place->second.comparison == m_current);
    if (m_jobs.allFinished()) Q_EMIT settled();
    if (now.state == JobState::Failed)
        Q_EMIT failed(QString::fromStdString(caption.name + ": " + now.error.message));
}

void RenderController::showInGrid(const Job& job, int clip) {
    if (job.state == JobState::Done) return m_comparison->putOnDisk(clip, job.clip);
    const widgets::JobView view = viewOf(job);
    m_comparison->setStatus(
        clip, {view.status, isFinished(job.state) ? -1 : view.progress, job.state == JobState::Failed});
}

bool RenderController::isSettled(const RenderedComparison& comparison) const {
    return std::ranges::all_of(m_places, [&](const auto& entry) {
        const Job* job = m_jobs.find(entry.first);
        return entry.second.comparison.get() != &comparison || job == nullptr || isFinished(job->state);
    });
}

void RenderController::report(const Result<void>& done) {
    if (!done) Q_EMIT failed(QString::fromStdString(done.error().message));
}

}  // namespace reelgrid::studio

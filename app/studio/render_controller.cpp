#include "app/studio/render_controller.h"

#include <QStandardPaths>
#include <algorithm>
#include <utility>

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

widgets::JobView titled(const std::string& title) {
    widgets::JobView view;
    view.title = QString::fromStdString(title);
    return view;
}

/// What has become of a render, in the place of what became of an earlier try.
void addEnd(const Job& job, const comparison::Caption& caption, RenderedComparison& comparison) {
    const std::filesystem::path output = job.request.output;
    std::erase_if(comparison.failed, [&](const comparison::Entry& each) { return each.clip == output; });
    if (job.state == JobState::Done) addRender({job.clip, caption.name, caption.name, 0}, comparison);
    if (job.state == JobState::Failed) comparison.failed.push_back({caption, output, job.error, {}});
}

}  // namespace

RenderController::RenderController(Comparison* comparison, widgets::JobPanel* panel,
                                   machine::LocalMachine machine, QObject* parent)
    : QObject(parent),
      m_comparison(comparison),
      m_panel(panel),
      m_machine(std::move(machine)),
      m_interrupted(panel, [this](const std::filesystem::path& clip) { return m_jobs.makes(clip); }) {
    const QString movies = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
    m_resultsFolder = std::filesystem::path(movies.toStdString()) / "ReelGrid";
    connect(&m_jobs, &RenderJobs::changed, this, &RenderController::follow);
    connect(m_panel, &widgets::JobPanel::cancelRequested, this,
            [this](const QString& job) { report(m_jobs.cancel(job.toStdString())); });
    connect(m_panel, &widgets::JobPanel::showRequested, this, &RenderController::showComparisonOf);
    connect(m_panel, &widgets::JobPanel::moveRequested, this, &RenderController::move);
    connect(m_panel, &widgets::JobPanel::pauseRequested, this, [this](bool paused) {
        m_jobs.setPaused(paused);
        m_panel->setPaused(paused);
    });
    using jobs::Begin;
    connect(m_panel, &widgets::JobPanel::retryRequested, this,
            [this](const QString& job) { report(m_jobs.retry(job.toStdString(), Begin::AtStart)); });
    connect(m_panel, &widgets::JobPanel::resumeRequested, this,
            [this](const QString& job) { report(m_jobs.retry(job.toStdString(), Begin::AtKeptStep)); });
    connect(m_panel, &widgets::JobPanel::discardRequested, this, &RenderController::discard);
    connect(&m_interrupted, &InterruptedRenders::wanted, this, &RenderController::takeUp);
    connect(&m_interrupted, &InterruptedRenders::failed, this, &RenderController::failed);
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
    if (!m_current || !isSameSubject(request, m_current->session.request, model, machine())) {
        m_comparison->clear();
        m_current = std::make_shared<RenderedComparison>(newComparison(request, m_resultsFolder));
        Q_EMIT began();
    }
    // Now, so that the next comparison finds the name taken; a failure is the first job's to report.
    std::error_code ignored;
    std::filesystem::create_directories(m_current->folder, ignored);
    removeFinishedRows();
    for (const QString& backend : backends)
        submit(requestFor(request, backend.toStdString(), model, m_current->folder), m_current);
}

void RenderController::submit(const protocol::RenderRequest& own, const Shared& comparison) {
    forgetEnded(own.output);
    const auto id = m_jobs.submit(own);
    if (!id) return Q_EMIT failed(QString::fromStdString(id.error().message));
    const widgets::JobView view = rowOf(*m_jobs.find(*id), *comparison);
    m_places[*id] = {comparison, comparison == m_current ? addTile(view, own.output) : 0};
    m_panel->setJob(QString::fromStdString(*id), view);
}

int RenderController::addTile(const widgets::JobView& view, const std::filesystem::path& path) {
    ComparedClip clip;
    clip.label = view.title;
    clip.backend = view.title;
    clip.path = path;
    clip.status = {view.status, view.progress};
    removeEarlierTiles(clip);
    return m_comparison->add(std::move(clip));
}

widgets::JobView RenderController::rowOf(const Job& job, const RenderedComparison& comparison) const {
    widgets::JobView view = viewOf(job);
    view.subject = comparison.matrixSubject;
    return view;
}

// ── a matrix ────────────────────────────────────────────────────────────────────────────────────────────

RenderController::Shared RenderController::newSubject(const MatrixRow& row,
                                                      const families::ModelInfo& model) {
    const protocol::RenderRequest& request = row.job.request;
    auto subject = std::make_shared<RenderedComparison>(newComparison(request, m_resultsFolder));
    // Now, so that the next subject finds the name taken; a failure is the first job's to report.
    std::error_code ignored;
    std::filesystem::create_directories(subject->folder, ignored);
    subject->matrixSubject = QString::fromStdString(request.prompt).simplified();
    subject->matrixSubject += tr(", seed %1, %2 steps, %3")
                                  .arg(request.seed)
                                  .arg(row.steps)
                                  .arg(QString::fromStdString(model.title));
    return subject;
}

void RenderController::renderMatrix(const std::vector<MatrixRow>& rows,
                                    const std::vector<families::ModelInfo>& models) {
    removeFinishedRows();
    Shared comparison;
    int subject = -1;
    for (const MatrixRow& row : rows) {
        const families::ModelInfo& model = models[row.job.model];
        if (std::exchange(subject, row.job.subject) != row.job.subject) {
            const bool isFirst = !comparison;
            comparison = newSubject(row, model);
            if (isFirst) show(comparison);
        }
        const auto own =
            requestFor(row.job.request, row.job.request.attentionType, model, comparison->folder);
        if (row.identical.empty())
            submit(own, comparison);
        else
            reuse(row.identical, own, comparison);
    }
}

void RenderController::reuse(const std::filesystem::path& clip, const protocol::RenderRequest& own,
                             const Shared& comparison) {
    ++comparison->reusing;
    m_background.run([this, clip, own, comparison](const std::stop_token&) -> BackgroundThread::Completion {
        auto put = comparison::reuseResult(clip, own.output);
        return [this, own, comparison, put = std::move(put)] {
            --comparison->reusing;
            report(put);
            const auto caption = comparison::captionOf(own);
            if (put) {
                addRender({own.output, caption.name, caption.name, 0}, *comparison);
                if (comparison == m_current) {
                    m_comparison->putOnDisk(addTile(titled(caption.text()), own.output), own.output);
                }
            }
            if (isSettled(*comparison)) Q_EMIT comparisonSettled(*comparison, comparison == m_current);
        };
    });
}

/// Its clips that are there, and tiles for those that are to come.
void RenderController::show(const Shared& comparison) {
    m_comparison->clear();
    m_current = comparison;
    Q_EMIT began();
    for (const session::SessionClip& clip : comparison->session.clips)
        m_comparison->putOnDisk(addTile(titled(clip.label), clip.path), clip.path);
    for (auto& [id, place] : m_places) {
        const Job* job = m_jobs.find(id);
        if (place.comparison != comparison || job == nullptr || job->state == JobState::Done) continue;
        place.clip = addTile(rowOf(*job, *comparison), job->request.output);
        showInGrid(*job, place.clip);
    }
}

void RenderController::showComparisonOf(const QString& job) {
    const auto place = m_places.find(job.toStdString());
    if (place == m_places.end() || place->second.comparison == m_current) return;
    const Shared comparison = place->second.comparison;
    if (isSettled(*comparison))
        Q_EMIT openRequested(comparison->sessionFile);
    else
        show(comparison);
}

/// As long as what is on show is a part of a matrix that has nothing to wait for.
void RenderController::followMatrix(const Shared& comparison) {
    const bool follows = m_current && !m_current->matrixSubject.isEmpty() && isSettled(*m_current);
    if (follows && comparison != m_current && !comparison->matrixSubject.isEmpty()) show(comparison);
}

// ── what was interrupted ────────────────────────────────────────────────────────────────────────────────

void RenderController::takeUp(const result::InterruptedRender& render, jobs::Begin begin) {
    m_background.run([this, render, begin](const std::stop_token&) -> BackgroundThread::Completion {
        return [this, render, begin, comparison = interruptedComparison(render)]() mutable {
            protocol::RenderRequest own = render.left.request;
            own.resume = begin == jobs::Begin::AtKeptStep;
            // On one process, however many began it.
            own.ulyssesDegree = own.ringDegree = own.cfgParallel = std::nullopt;
            own.shardWeights = false;
            submit(own, joinOrShow(std::move(comparison)));
        };
    });
}

/// The comparison with the same session, where this window knows it; else this one, on show unless another is
/// being rendered there.
RenderController::Shared RenderController::joinOrShow(RenderedComparison&& comparison) {
    const auto isSame = [&](const Shared& each) { return each->sessionFile == comparison.sessionFile; };
    if (m_current && isSame(m_current)) return m_current;
    for (const auto& [id, place] : m_places)
        if (isSame(place.comparison)) return place.comparison;
    if (m_current && !isSettled(*m_current))
        return std::make_shared<RenderedComparison>(std::move(comparison));
    Q_EMIT takenUp(comparison.session, comparison.sessionFile);
    return m_current;
}

void RenderController::resumeAll() {
    for (const auto& [id, place] : m_places)
        if (const Job* job = m_jobs.find(id); job != nullptr && canResume(*job))
            report(m_jobs.retry(id, jobs::Begin::AtKeptStep));
    m_interrupted.resumeAll();
}

void RenderController::discard(const QString& id) {
    const Job* job = m_jobs.find(id.toStdString());
    if (job == nullptr || !isFinished(job->state)) return;
    m_interrupted.discard(job->request.output);
    m_panel->remove(id);
}

/// What is left of earlier tries is not offered beside a new one.
void RenderController::forgetEnded(const std::filesystem::path& clip) {
    m_interrupted.forget(clip);
    for (const auto& [id, place] : m_places) {
        const Job* job = m_jobs.find(id);
        if (job != nullptr && isFinished(job->state) && job->request.output == clip)
            m_panel->remove(QString::fromStdString(id));
    }
}

/// Nothing is kept of a render that is done and out of sight: its session and manifest know the rest.
void RenderController::removeFinishedRows() {
    m_panel->removeFinished();
    std::erase_if(m_places, [this](const auto& entry) {
        const Job* job = m_jobs.find(entry.first);
        if (job == nullptr || job->state != JobState::Done) return false;
        m_jobs.forget(entry.first);
        return true;
    });
}

// ── what becomes of jobs ────────────────────────────────────────────────────────────────────────────────

/// The same backend again takes the place of its earlier clip.
void RenderController::removeEarlierTiles(const ComparedClip& clip) {
    const auto isTaken = [&](const ComparedClip& each) {
        if (each.path == clip.path) return true;
        // A clip that a person put beside the comparison is none of its renders.
        const auto& own = m_current->session.clips;
        return (each.backend == clip.backend || each.label == clip.label) &&
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
    // A preview is no news of the job itself.
    if (now.preview && now.preview != before.preview)
        return m_comparison->setPreview(place->second.clip, clipPreview(*now.preview));
    if (now.state == JobState::Running && before.state == JobState::Queued)
        followMatrix(place->second.comparison);
    m_panel->setJob(QString::fromStdString(now.id), rowOf(now, comparison));
    showInGrid(now, place->second.clip);
    if (isFinished(now.state)) m_comparison->setPreview(place->second.clip, {});
    if (!isFinished(now.state) || isFinished(before.state)) return;
    const auto caption = comparison::captionOf(now.request);
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

void RenderController::move(const QString& id, int places) {
    std::vector<std::string> waiting = m_jobs.waiting();
    const auto found = std::ranges::find(waiting, id.toStdString());
    if (found == waiting.end()) return;  // it began meanwhile
    const auto place =
        std::clamp<std::ptrdiff_t>(found - waiting.begin() + places, 0, std::ssize(waiting) - 1);
    report(m_jobs.moveTo(id.toStdString(), std::size_t(place)));
    QStringList order;
    for (const std::string& each : m_jobs.waiting()) order.append(QString::fromStdString(each));
    m_panel->setWaitingOrder(order);
}

bool RenderController::isSettled(const RenderedComparison& comparison) const {
    if (comparison.reusing > 0) return false;
    return std::ranges::all_of(m_places, [&](const auto& entry) {
        const Job* job = m_jobs.find(entry.first);
        return entry.second.comparison.get() != &comparison || job == nullptr || isFinished(job->state);
    });
}

void RenderController::report(const Result<void>& done) {
    if (!done) Q_EMIT failed(QString::fromStdString(done.error().message));
}

}  // namespace reelgrid::studio

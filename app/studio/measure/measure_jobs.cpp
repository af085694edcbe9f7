#include "app/studio/measure/measure_jobs.h"

#include <algorithm>

#include "core/jobs/worker_process.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

using jobs::JobState;

namespace {

void removeFolder(const MeasureOrder& order) {
    std::error_code ignored;
    if (!order.folder.empty()) std::filesystem::remove_all(order.folder, ignored);
}

}  // namespace

MeasureJobs::MeasureJobs(widgets::JobPanel* panel, QObject* parent) : QObject(parent), m_panel(panel) {
    connect(panel, &widgets::JobPanel::cancelRequested, this, &MeasureJobs::cancel);
}

MeasureJobs::~MeasureJobs() {
    for (auto& [id, running] : m_running) {
        running.job->disconnect(this);
        delete running.job;
        removeFolder(running.order);
    }
}

Result<std::filesystem::path> MeasureJobs::program() const {
    return m_program.empty() ? jobs::findWorkerProgram() : Result(m_program);
}

QString MeasureJobs::start(MeasureOrder order) {
    const QString id = QString("measure-%1").arg(m_nextId++);
    widgets::JobView& view = m_views[id];
    view.title = order.title;
    view.color = widgets::theme::kQuiet;
    view.repeatable = false;
    m_logs[id] = "reelgrid-cli " + order.arguments.join(' ') + "\n\n";
    if (order.turn == MeasureOrder::Turn::AtOnce) {
        run(id, std::move(order));
        return id;
    }
    show(id, JobState::Queued, tr("waiting"));
    m_waiting.emplace_back(id, std::move(order));
    startNext();
    return id;
}

void MeasureJobs::startNext() {
    const bool isMeasuring = std::ranges::any_of(
        m_running, [](const auto& each) { return each.second.order.turn == MeasureOrder::Turn::Waits; });
    if (isMeasuring || m_waiting.empty()) return;
    auto [id, order] = std::move(m_waiting.front());
    m_waiting.pop_front();
    run(id, std::move(order));
}

void MeasureJobs::run(const QString& id, MeasureOrder order) {
    Running& running = m_running[id];
    running.order = std::move(order);
    running.job = new MeasureJob(this);
    const auto found = program();
    if (!found) return end(id, JobState::Failed, QString::fromStdString(found.error().message));
    const std::filesystem::path& folder = running.order.folder;
    std::error_code failure;
    if (!folder.empty()) std::filesystem::create_directories(folder, failure);
    if (failure)
        return end(id, JobState::Failed, QString::fromStdString(folder.string() + ": " + failure.message()));
    connect(running.job, &MeasureJob::progressed, this, [this, id](const MeasureProgress& progress) {
        show(id, JobState::Running, progress.words, std::max(0.0, progress.share), progress.etaSeconds);
    });
    connect(running.job, &MeasureJob::failed, this,
            [this, id](const QString& message) { end(id, JobState::Failed, message); });
    connect(running.job, &MeasureJob::cancelled, this,
            [this, id] { end(id, JobState::Cancelled, tr("cancelled")); });
    connect(running.job, &MeasureJob::finished, this, [this, id](const QByteArray& document) {
        const auto done = m_running[id].order.done;
        end(id, JobState::Done, tr("done"));
        done(document);
    });
    show(id, JobState::Running, tr("starting"));
    running.job->start(*found, running.order.arguments);
}

void MeasureJobs::end(const QString& id, JobState state, const QString& status) {
    const auto found = m_running.find(id);
    if (found == m_running.end()) return;
    const Running ended = std::move(found->second);
    m_running.erase(found);
    m_logs[id] += ended.job->log();
    ended.job->disconnect(this);
    ended.job->deleteLater();
    if (state != JobState::Done) removeFolder(ended.order);
    show(id, state, status, state == JobState::Done ? 1 : 0);
    if (state == JobState::Failed) Q_EMIT failed(ended.order.title + ": " + status);
    // Once the caller has returned: it may be what orders the next one.
    QMetaObject::invokeMethod(this, &MeasureJobs::startNext, Qt::QueuedConnection);
}

void MeasureJobs::cancel(const QString& id) {
    if (const auto running = m_running.find(id); running != m_running.end()) {
        show(id, JobState::Running, tr("cancelling"));
        return running->second.job->cancel();
    }
    const auto waiting = std::ranges::find(m_waiting, id, [](const auto& each) { return each.first; });
    if (waiting == m_waiting.end()) return;
    m_waiting.erase(waiting);
    show(id, JobState::Cancelled, tr("cancelled"));
}

const widgets::JobView* MeasureJobs::find(const QString& id) const {
    const auto found = m_views.find(id);
    return found == m_views.end() ? nullptr : &found->second;
}

QString MeasureJobs::logOf(const QString& id) const {
    const auto found = m_logs.find(id);
    return found == m_logs.end() ? QString() : found->second;
}

void MeasureJobs::show(const QString& id, JobState state, const QString& status, double progress,
                       double etaSeconds) {
    widgets::JobView& view = m_views[id];
    view.state = state;
    view.status = status;
    view.progress = progress;
    view.etaSeconds = etaSeconds;
    m_panel->setJob(id, view);
}

}  // namespace reelgrid::studio

#include "app/studio/render_controller.h"

#include <QDateTime>
#include <QStandardPaths>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/protocol/result_paths.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

using jobs::Job;

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

/// "a-red-car-driving", for folder names.
std::string slugOf(const std::string& prompt) {
    constexpr std::size_t kLongest = 32;
    std::string slug;
    for (const char letter : prompt) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        const bool upper = letter >= 'A' && letter <= 'Z';
        if (plain || upper)
            slug += upper ? char(letter - 'A' + 'a') : letter;
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
        if (slug.size() == kLongest) break;
    }
    while (!slug.empty() && slug.back() == '-') slug.pop_back();
    return slug.empty() ? "render" : slug;
}

/// "fav2", or "fav2+policy-3f2a".
std::string attentionOf(const protocol::RenderRequest& request) {
    return protocol::attentionName(request.attentionType, request.attentionPolicy);
}

/// The name that label patterns know: …_attn_<type>_<H>x<W>.mp4.
std::string fileNameOf(const protocol::RenderRequest& request) {
    return "wan_result_" + request.task + "_attn_" + attentionOf(request) + "_" +
           std::to_string(request.height.value_or(0)) + "x" + std::to_string(request.width.value_or(0)) +
           ".mp4";
}

/// Everything but the attention and the place of the result.
nlohmann::json subjectOf(protocol::RenderRequest request) {
    request.attentionType.clear();
    request.attentionPolicy = {};
    request.output.clear();
    return protocol::toJson(request);
}

QString stageText(const protocol::RenderProgress& progress) {
    if (progress.stage.empty()) return QObject::tr("starting");
    if (progress.total <= 1) return text(progress.stage);
    return QString("%1 %2 / %3").arg(text(progress.stage)).arg(progress.done).arg(progress.total);
}

double fractionOf(const protocol::RenderProgress& progress) {
    if (progress.etaSeconds >= 0 && progress.elapsedSeconds > 0)
        return progress.elapsedSeconds / (progress.elapsedSeconds + progress.etaSeconds);
    return progress.total > 0 ? std::clamp(double(progress.done) / progress.total, 0.0, 1.0) : 0;
}

}  // namespace

RenderController::RenderController(Comparison* comparison, widgets::JobPanel* panel, QObject* parent)
    : QObject(parent), m_comparison(comparison), m_panel(panel) {
    const QString movies = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
    m_resultsFolder = std::filesystem::path(movies.toStdString()) / "ReelGrid";
    connect(m_panel, &widgets::JobPanel::cancelRequested, this, &RenderController::cancel);
    connect(m_panel, &widgets::JobPanel::retryRequested, this, &RenderController::retry);
}

RenderController::~RenderController() = default;

jobs::JobQueue& RenderController::queue() {
    if (!m_queue) {
        jobs::JobQueueOptions options;
        options.worker = m_worker;
        m_queue = std::make_unique<jobs::JobQueue>(options, [this](const Job& job) {
            QMetaObject::invokeMethod(
                this, [this, job] { follow(job); }, Qt::QueuedConnection);
        });
    }
    return *m_queue;
}

void RenderController::render(const protocol::RenderRequest& request, QStringList backends) {
    std::ranges::stable_sort(backends, {}, [](const QString& name) { return name != "sdpa"; });
    if (m_comparisonFolder.empty() || subjectOf(request) != subjectOf(m_lastRequest)) {
        m_comparison->clear();
        const std::string when = QDateTime::currentDateTime().toString("yyyyMMdd-HHmmss").toStdString();
        m_comparisonFolder = m_resultsFolder / (when + "-" + slugOf(request.prompt));
        m_lastRequest = request;
    }
    m_panel->removeFinished();
    for (const QString& backend : backends) {
        protocol::RenderRequest own = request;
        own.attentionType = backend.toStdString();
        own.output = (m_comparisonFolder / fileNameOf(own)).string();
        auto id = queue().submit(own);
        if (!id) {
            Q_EMIT failed(text(id.error().message));
            continue;
        }
        // The same backend again takes the place of its earlier clip.
        std::vector<int> earlier;
        for (const ComparedClip& clip : m_comparison->clips())
            if (clip.path == own.output) earlier.push_back(clip.id);
        for (const int clip : earlier) m_comparison->remove(clip);
        ComparedClip clip;
        clip.label = text(attentionOf(own));
        clip.path = own.output;
        clip.message = tr("waiting");
        clip.progress = 0;
        m_clips[*id] = m_comparison->add(std::move(clip));
        Job job;
        job.id = *id;
        job.request = own;
        m_jobs.emplace(*id, job);
        showInPanel(m_jobs.at(*id));
    }
}

void RenderController::cancel(const QString& job) {
    if (!m_jobs.contains(job.toStdString())) return;
    if (auto done = queue().cancel(job.toStdString()); !done) Q_EMIT failed(text(done.error().message));
}

void RenderController::retry(const QString& job) {
    if (!m_jobs.contains(job.toStdString())) return;
    if (auto done = queue().retry(job.toStdString()); !done) Q_EMIT failed(text(done.error().message));
}

void RenderController::follow(const Job& job) {
    const auto known = m_jobs.find(job.id);
    if (known == m_jobs.end()) return;
    const bool failedNow =
        job.state == jobs::JobState::Failed && known->second.state != jobs::JobState::Failed;
    if (job.progress.stage != known->second.progress.stage || job.state != known->second.state)
        m_events[job.id] += QDateTime::currentDateTime().toString("HH:mm:ss  ").toStdString() +
                            nameOf(job.state) + " " + job.progress.stage + "\n";
    const bool endedNow = isFinished(job.state) && !isFinished(known->second.state);
    known->second = job;
    showInPanel(job);
    showInComparison(job);
    const auto ended = [](const auto& entry) { return isFinished(entry.second.state); };
    if (endedNow && std::all_of(m_jobs.begin(), m_jobs.end(), ended)) Q_EMIT settled();
    if (failedNow) Q_EMIT failed(text(attentionOf(job.request) + ": " + job.error.message));
}

void RenderController::showInPanel(const Job& job) {
    widgets::JobView view;
    view.title = text(attentionOf(job.request));
    view.color = widgets::backendColor(view.title);
    switch (job.state) {
        case jobs::JobState::Queued:
            view.state = widgets::JobState::Waiting;
            view.status = tr("waiting");
            break;
        case jobs::JobState::Running:
            view.state = widgets::JobState::Running;
            view.status = job.cancelling ? tr("cancelling") : stageText(job.progress);
            view.progress = fractionOf(job.progress);
            view.etaSeconds = job.cancelling ? -1 : job.progress.etaSeconds;
            break;
        case jobs::JobState::Done:
            view.state = widgets::JobState::Done;
            view.status = tr("done in %1 s").arg(job.progress.elapsedSeconds, 0, 'f', 1);
            break;
        case jobs::JobState::Failed:
            view.state = widgets::JobState::Failed;
            view.status = text(job.error.message);
            break;
        case jobs::JobState::Cancelled:
            view.state = widgets::JobState::Cancelled;
            view.status = tr("cancelled");
            break;
    }
    m_panel->setJob(text(job.id), view);
}

void RenderController::showInComparison(const Job& job) {
    const auto clip = m_clips.find(job.id);
    if (clip == m_clips.end()) return;
    const widgets::JobView view = m_panel->job(text(job.id));
    m_comparison->change(clip->second, [&](ComparedClip& compared) {
        compared.message = view.status;
        compared.failed = job.state == jobs::JobState::Failed;
        compared.progress =
            job.state == jobs::JobState::Running || job.state == jobs::JobState::Queued ? view.progress : -1;
        if (job.state == jobs::JobState::Done) {
            compared.path = job.clip;
            compared.onDisk = true;
            compared.message.clear();
        }
    });
}

QString RenderController::logOf(const QString& job) const {
    const auto known = m_jobs.find(job.toStdString());
    if (known == m_jobs.end()) return {};
    const Job& is = known->second;
    std::string log =
        "job " + is.id + ", " + nameOf(is.state) + ", attempt " + std::to_string(is.attempt) + "\n";
    if (is.state == jobs::JobState::Failed) log += "error: " + is.error.message + "\n";
    log += "clip: " + is.request.output + "\n\n";
    if (const auto events = m_events.find(is.id); events != m_events.end()) log += events->second + "\n";
    return text(log + protocol::toJson(is.request).dump(2));
}

}  // namespace reelgrid::studio

#include "app/cli/tuning_renders.h"

#include <functional>
#include <utility>

#include "app/cli/progress_line.h"
#include "core/comparison/clip_measurer.h"
#include "core/comparison/clip_name.h"
#include "core/comparison/steady_times.h"
#include "core/protocol/result_paths.h"
#include "core/tune/latents_drift.h"

namespace reelgrid::cli {

namespace fs = std::filesystem;

/// The queue, and the line that says how far it is.
class TuningRenders::Worker {
  public:
    Worker(int atMost, const jobs::JobQueueOptions& options, std::stop_token stop)
        : m_atMost(atMost),
          m_stop(std::move(stop)),
          m_queue(options, [this](const jobs::Job& job) { tell(job); }),
          m_cancel(m_stop, [this] { m_queue.cancelAll(); }) {}

    Result<void> render(const std::string& name, const protocol::RenderRequest& request) {
        const Error cancelled{ErrorCode::Cancelled, "cancelled"};
        if (m_stop.stop_requested()) return cancelled;
        m_name = name;
        ++m_started;
        m_measuredOthers = false;
        auto id = m_queue.submit(request);
        if (!id) return id.error();
        // A stop between the two would have found nothing to cancel.
        if (m_stop.stop_requested()) m_queue.cancelAll();
        m_queue.waitUntilIdle();
        for (const jobs::Job& job : m_queue.jobs()) {
            if (job.id != *id) continue;
            if (job.state == jobs::JobState::Cancelled) return cancelled;
            if (job.state == jobs::JobState::Failed) return job.error;
        }
        return {};
    }

  private:
    void tell(const jobs::Job& job) {
        if (job.state != jobs::JobState::Running) return m_line.clear();
        const protocol::RenderProgress& now = job.progress;
        const std::string what = m_name + " (render " + std::to_string(m_started) + " of at most " +
                                 std::to_string(m_atMost) + ")";
        double left = now.etaSeconds;
        // The renders to come take as long as this one, but for what it measures in lockstep.
        m_measuredOthers = m_measuredOthers || now.stage == "lockstep";
        if (left >= 0 && !m_measuredOthers) m_secondsEach = now.elapsedSeconds + left;
        if (left >= 0) left += m_secondsEach * (m_atMost - m_started);
        m_line.update(what, now.stage.empty() ? "starting" : now.stage, now.done, now.total, left);
    }

    int m_atMost;
    std::stop_token m_stop;
    // Set while no job runs, read by the queue's thread while one does.
    std::string m_name;
    int m_started = 0;
    bool m_measuredOthers = false;
    double m_secondsEach = 0;
    ProgressLine m_line;
    jobs::JobQueue m_queue;
    std::stop_callback<std::function<void()>> m_cancel;
};

TuningRenders::TuningRenders(fs::path folder, int atMost, const jobs::JobQueueOptions& worker,
                             std::stop_token stop)
    : m_folder(std::move(folder)), m_worker(std::make_unique<Worker>(atMost, worker, std::move(stop))) {}
TuningRenders::~TuningRenders() = default;

namespace {

std::optional<double> meanOf(const std::optional<metrics::Series>& series) {
    return series ? std::optional(series->mean) : std::nullopt;
}

std::optional<double> qualityOf(const tune::TuningRender& render, tune::Quality quality) {
    switch (quality) {
        case tune::Quality::Psnr:
            return render.psnr;
        case tune::Quality::Ssim:
            return render.ssim;
        case tune::Quality::L1:
            return render.l1;
        case tune::Quality::Cosine:
            return render.cosine;
    }
    return std::nullopt;
}

}  // namespace

Result<tune::TuningRender> TuningRenders::render(const std::string& name, CheckedRequest checked,
                                                 const tune::Budget& budget) {
    const fs::path clip = m_folder / comparison::clipName(checked.model(), checked.settings());
    checked.setOutput(clip.string());
    if (auto done = m_worker->render(name, checked.request()); !done) return done.error();
    tune::TuningRender render;
    render.name = name;
    render.clip = clip;
    render.policy = checked.request().attentionPolicy;
    m_last = result::readClipResult(clip);
    if (!m_last.problems.empty()) return m_last.problems.front();
    if (auto measured = measure(render, budget); !measured) return measured.error();
    return render;
}

Result<void> TuningRenders::measure(tune::TuningRender& render, const tune::Budget& budget) {
    const bool isReference = m_reference.empty();
    const comparison::SteadyTimes times = comparison::steadyTimesOf(m_last);
    if (isReference) {
        m_reference = render.clip;
        if (times.coveredAttention) m_attentionYardstick = times.outsideAttention;
    } else {
        // The worker measures on frames before encoding; one that was started again has none to compare with.
        comparison::ClipMeasurer measurer(m_reference);
        if (auto added = measurer.complete(render.clip, m_last.metrics); !added) return added.error();
    }
    const auto drift = tune::latentsDrift(protocol::resultFolderOf(m_reference) / protocol::kLatentsFile,
                                          protocol::resultFolderOf(render.clip) / protocol::kLatentsFile);
    if (!drift) return drift.error();
    render.l1 = drift->relativeL1;
    render.cosine = drift->cosine;
    if (const auto& own = m_last.metrics.drift) {
        render.psnr = meanOf(own->psnr);
        render.ssim = meanOf(own->ssim);
    }
    // The reference equals itself, which no metric was measured on.
    const auto quality = isReference ? tune::valueOf(budget.quality, 0) : qualityOf(render, budget.quality);
    if (!quality)
        return Error{ErrorCode::Unsupported, std::string(tune::infoOf(budget.quality).name) +
                                                 " can't be measured for clips of this size"};
    render.measured.quality = *quality;

    render.attentionSeconds = times.coveredAttention;
    render.warmUpSeconds = times.warmUp;
    if (const result::Timing* timing = m_last.timing()) render.denoiseSeconds = timing->stage("denoise");
    if (!m_attentionYardstick) {
        render.measured.seconds = times.denoise.value_or(0);
        return {};
    }
    const double outside = times.outsideAttention.value_or(0);
    const double speed = outside > 0 ? *m_attentionYardstick / outside : 1;
    render.measured.seconds = times.coveredAttention.value_or(0) * speed;
    return {};
}

}  // namespace reelgrid::cli

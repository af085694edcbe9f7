#include "core/pipeline/renderer.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <utility>

#include "core/execution/fp32_precision.h"
#include "core/execution/out_of_memory.h"
#include "core/pipeline/frame_production.h"
#include "core/pipeline/reference_frames.h"
#include "core/pipeline/render_error.h"
#include "core/pipeline/render_plan.h"
#include "core/pipeline/result_writing.h"
#include "core/pipeline/step_profiler.h"
#include "core/pipeline/warm_model.h"
#include "core/protocol/result_paths.h"
#include "core/result/pending_result.h"
#include "core/result/unfinished_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

/// The profiler of a render that is to be profiled.
std::unique_ptr<StepProfiler> profilerFor(const RenderPlan& plan) {
    const catalog::RenderSettings& settings = plan.settings;
    if (!settings.profileOutput) return nullptr;
    const StepProfiler::Schedule schedule{.wait = settings.profileWait.value(),
                                          .warmup = settings.profileWarmup.value(),
                                          .active = settings.profileActive.value()};
    return std::make_unique<StepProfiler>(schedule, plan.execution);
}

/// Adds to what is reported how much memory the render will take.
protocol::ProgressCallback withForecast(const protocol::ProgressCallback& progress,
                                        const std::optional<MemoryForecast>& forecast) {
    if (!progress || !forecast) return progress;
    return [progress, peak = forecast->peak](protocol::RenderProgress now) {
        now.predictedPeakBytes = peak;
        progress(now);
    };
}

/// As long as this lives the folder says what it is, and after it where steps are kept. What an earlier
/// render says of its steps stays until there are others. Within the lock of the result alone.
class UnfinishedNote {
  public:
    UnfinishedNote(const protocol::RenderRequest& request, int steps) : m_clip(request.output) {
        std::error_code failed;
        if (!fs::exists(protocol::resultFolderOf(m_clip) / protocol::kResumeFile, failed))
            result::writeUnfinished(m_clip, {0, steps, request}).value();
    }
    ~UnfinishedNote() { result::removeUnfinishedWithoutSteps(m_clip); }
    UnfinishedNote(const UnfinishedNote&) = delete;
    UnfinishedNote& operator=(const UnfinishedNote&) = delete;

  private:
    fs::path m_clip;
};

/// A render that failed before it had anything to keep leaves no folder either.
void removeIfEmpty(const fs::path& folder) {
    std::error_code notEmpty;
    if (fs::is_directory(folder, notEmpty)) fs::remove(folder, notEmpty);
}

void removeEmptyFoldersOf(const protocol::RenderRequest& request) {
    if (request.profileOutput && !protocol::isTraceFolder(*request.profileOutput)) {
        const fs::path traces = protocol::tracePathOf(request.output, *request.profileOutput).parent_path();
        removeIfEmpty(traces);
        removeIfEmpty(traces.parent_path());
    }
    removeIfEmpty(protocol::resultFolderOf(request.output));
}

}  // namespace

/// What stays from render to render.
struct Renderer::State {
    machine::LocalMachine machine;
    parallel::RankGroup* ranks = nullptr;
    WarmModel model;
    ReferenceFrames reference;

    std::string render(const protocol::RenderRequest& request, const protocol::ProgressCallback& progress,
                       std::stop_token stop, const protocol::PreviewCallback& preview);
};

std::string Renderer::State::render(const protocol::RenderRequest& request,
                                    const protocol::ProgressCallback& progress, std::stop_token stop,
                                    const protocol::PreviewCallback& preview) {
    const c10::InferenceMode inference;
    if (ranks != nullptr) {
        ranks->setStop(stop);
        stop = ranks->agreedStop();
    }
    RenderPlan plan = RenderPlan::from(request, machine.now(), ranks);
    plan.settleMemory(model.present(plan));

    const std::unique_ptr<StepProfiler> profiler = profilerFor(plan);
    denoising::StageClock clock(withForecast(progress, plan.memory.forecast), std::move(stop),
                                plan.execution);
    clock.setWatcher(profiler.get());
    execution::setFp32Precision(plan.settings.fp32Precision);
    if (!plan.writes()) {
        FrameProduction production(plan, model, clock, {});
        production.denoiseOnly();
        writeRankTrace(plan, profiler.get(), clock);
        return plan.clip.string();
    }
    auto pending = result::PendingResult::create(plan.clip).value();
    const UnfinishedNote note(request, plan.steps);
    FrameProduction production(plan, model, clock, preview);
    const media::RgbVideo frames = production.run(pending);
    model.requireUnchanged(plan);
    writeResult(plan, production, frames, reference, profiler.get(), clock, pending);
    return plan.clip.string();
}

Renderer::Renderer(machine::LocalMachine machine, parallel::RankGroup* ranks)
    : m_state(std::make_unique<State>()) {
    m_state->machine = std::move(machine);
    m_state->ranks = ranks;
    execution::giveCpuMemoryErrorsTheirType();
}
Renderer::~Renderer() = default;

Result<std::string> Renderer::render(const protocol::RenderRequest& request,
                                     const protocol::ProgressCallback& progress, std::stop_token stop,
                                     const protocol::PreviewCallback& preview) {
    auto result =
        renderOrError(request, [&] { return m_state->render(request, progress, std::move(stop), preview); });
    if (!result && (m_state->ranks == nullptr || m_state->ranks->writes())) removeEmptyFoldersOf(request);
    return result;
}

}  // namespace reelgrid::pipeline

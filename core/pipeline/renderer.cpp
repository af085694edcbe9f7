#include "core/pipeline/renderer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <map>
#include <new>
#include <utility>

#include "core/attention/make_dispatcher.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/capture/capturing_dispatcher.h"
#include "core/catalog/model_catalog.h"
#include "core/denoising/video_model.h"
#include "core/execution/device_description.h"
#include "core/execution/fp32_precision.h"
#include "core/execution/memory_check.h"
#include "core/execution/memory_peak.h"
#include "core/execution/out_of_memory.h"
#include "core/lockstep/lockstep_observer.h"
#include "core/media/writer.h"
#include "core/metrics/clip_metrics.h"
#include "core/pipeline/call_map_dispatcher.h"
#include "core/pipeline/capture_options.h"
#include "core/pipeline/input_pictures.h"
#include "core/pipeline/latent_preview.h"
#include "core/pipeline/reference_frames.h"
#include "core/pipeline/render_memory.h"
#include "core/pipeline/resume_file.h"
#include "core/pipeline/step_profiler.h"
#include "core/pipeline/tiling_choice.h"
#include "core/protocol/asked_backends.h"
#include "core/protocol/result_paths.h"
#include "core/result/hashes_under_way.h"
#include "core/result/manifest.h"
#include "core/result/pending_result.h"
#include "core/result/picture_hashes.h"
#include "core/result/unfinished_render.h"
#include "core/weights/safetensors_writer.h"
#include "kernels/attention/backend_list.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

/// Everything that can be wrong with the request itself, found before minutes are spent.
struct Plan {
    families::ModelInfo model;
    catalog::RenderSettings settings;
    execution::Execution execution;
    MemoryChoice memory{};
    fs::path clip;
    std::map<std::string, std::string> pictureHashes;
};

Plan planOf(const protocol::RenderRequest& request) {
    if (request.output.empty())
        throw Failure(ErrorCode::BadUsage, "--output: it is empty, the clip's file name was needed");
    Plan plan;
    plan.model = catalog::findModel(request.model).value();
    plan.settings = catalog::resolveSettings(request, plan.model).value();
    plan.pictureHashes = result::pictureHashes(plan.settings).value();
    fitToPicture(plan.settings, plan.model);
    plan.execution = execution::executionOn(plan.settings.device).value();
    plan.clip = request.output;
    media::containerOf(plan.clip).value();
    return plan;
}

std::unique_ptr<attention::Dispatcher> dispatcherFor(const Plan& plan) {
    const catalog::RenderSettings& settings = plan.settings;
    auto policy = attention::Policy::create(settings.attentionType, settings.attentionPolicy,
                                            {plan.model.layers, settings.numInferenceSteps});
    return attention::makeDispatcher(*std::move(policy), plan.execution).value();
}

/// The profiler of a render that is to be profiled.
std::unique_ptr<StepProfiler> profilerFor(const Plan& plan) {
    const catalog::RenderSettings& settings = plan.settings;
    if (!settings.profileOutput) return nullptr;
    const StepProfiler::Schedule schedule{.wait = settings.profileWait.value(),
                                          .warmup = settings.profileWarmup.value(),
                                          .active = settings.profileActive.value()};
    return std::make_unique<StepProfiler>(schedule, plan.execution);
}

/// As the manifest names a trace.
std::string shownTrace(const fs::path& trace, const fs::path& clip) {
    const fs::path below = trace.lexically_relative(protocol::resultFolderOf(clip));
    return (below.empty() || *below.begin() == ".." ? trace : below).generic_string();
}

/// What measures other backends on this render's latents; null when none are asked for.
std::unique_ptr<lockstep::LockstepObserver> lockstepOf(const Plan& plan, denoising::StageClock& clock) {
    if (plan.settings.lockstep.empty()) return nullptr;
    return std::make_unique<lockstep::LockstepObserver>(
        plan.settings.lockstep, plan.model.layers, plan.settings.numInferenceSteps, plan.execution, clock);
}

/// Who shows the latents to `preview`; null where nobody looks, or where the VAE's latents have no known
/// colours.
std::unique_ptr<PreviewObserver> previewsOf(const families::ModelInfo& model, result::ComponentHasher& hasher,
                                            int steps, const protocol::PreviewCallback& preview) {
    const auto vae = std::ranges::find(model.components, "vae", &families::ComponentInfo::name);
    if (!preview || vae == model.components.end()) return nullptr;
    auto colors = latentColorsOf(hasher.hash(vae->files).value().sha256);
    if (!colors) return nullptr;
    return std::make_unique<PreviewObserver>(*std::move(colors), steps, preview);
}

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

std::string sizeText(const catalog::RenderSettings& settings) {
    return std::to_string(settings.width) + "×" + std::to_string(settings.height) + ", " +
           std::to_string(settings.numFrames) + " frames" +
           (settings.vaeTiling == protocol::kTilingOff ? ", decoded whole," : "");
}

Error errorOf(const c10::Error& failure, ErrorCode code) {
    const std::string message = failure.what_without_backtrace();
    return {code, message.substr(0, message.find('\n'))};
}

/// Which files the plug-in backends among those that were asked for are.
template <template <class> class Maybe>
std::vector<result::PluginRecord> pluginsOf(const protocol::RenderFields<Maybe>& settings) {
    std::vector<result::PluginRecord> records;
    for (const std::string& name : protocol::askedBackends(settings)) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        if (backend == nullptr || backend->plugin == nullptr) continue;
        const kernels::PluginDescription& said = backend->plugin->description;
        records.push_back({name, said.file, said.sha256, said.version});
    }
    return records;
}

LoadChoices choicesOf(const Plan& plan) {
    return loadChoicesOf(plan.settings, plan.memory);
}

/// Settles --offload by what is free, and says no before a GPU is filled in vain. `present`: how the model is
/// loaded already, which on the CPU isn't changed by what else has come into memory since.
void settleMemory(Plan& plan, const std::optional<MemoryChoice>& present) {
    // What libtorch holds there is a model, which this one takes the place of.
    const std::uint64_t own =
        plan.execution.device.is_cpu() ? 0 : execution::memoryInUse(plan.execution).value_or(0);
    const std::uint64_t available = execution::availableMemory(plan.execution) + own;
    const bool stays = plan.settings.offload == protocol::kOffloadAuto && plan.execution.device.is_cpu();
    plan.memory =
        chooseMemoryFor(plan.model, plan.settings, plan.execution, available, stays ? present : std::nullopt);
    plan.settings.offload =
        plan.memory.offload == Offload::Blocks ? protocol::kOffloadBlocks : protocol::kOffloadNone;
    // Predictions are good to a tenth.
    if (plan.memory.forecast && !plan.execution.device.is_cpu())
        execution::requireMemory(plan.execution, plan.memory.forecast->peak / 10 * 9, own,
                                 sizeText(plan.settings), waysToNeedLess(plan.settings, plan.model));
}

/// Which model is in memory: its files as they were when they were loaded (empty while they are hashed).
struct LoadedModel {
    fs::path folder;
    LoadChoices choices;
    execution::Execution execution;
    std::map<std::string, std::string> hashes;

    [[nodiscard]] bool isFrom(const Plan& plan) const {
        return folder == plan.model.folder && choices == choicesOf(plan) && execution == plan.execution;
    }
};

/// Tells whoever is told how far the render is what it will take.
protocol::ProgressCallback withForecast(const protocol::ProgressCallback& progress,
                                        const std::optional<MemoryForecast>& forecast) {
    if (!progress || !forecast) return progress;
    return [progress, peak = forecast->peak](protocol::RenderProgress now) {
        now.predictedPeakBytes = peak;
        progress(now);
    };
}

/// Tells models and pictures apart, whatever they are called.
std::string sourcesKey(const LoadedModel& model, const Plan& plan) {
    std::string text;
    for (const auto& hashes : {model.hashes, plan.pictureHashes})
        for (const auto& [name, hash] : hashes) text += name + " " + hash + "\n";
    return text;
}

/// What a step cache did in the last repetition.
std::optional<result::StepCacheRecord> stepCacheOf(const catalog::RenderSettings& settings,
                                                   const result::Timing& timing) {
    if (settings.stepCache <= 0) return std::nullopt;
    result::StepCacheRecord record;
    record.threshold = settings.stepCache;
    for (const result::StepPasses& step : timing.passes) {
        record.passes += step.whole + step.skipped;
        record.skipped += step.skipped;
        record.skippedPerStep.push_back(step.skipped);
    }
    return record;
}

std::string instructionSetOn(const execution::Execution& execution) {
    return execution.device.is_cpu() ? kernels::nameOf(kernels::selectedInstructionSet()) : "";
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

}  // namespace

struct Renderer::State {
    LoadedModel loaded;
    std::unique_ptr<denoising::VideoModel> model;
    ReferenceFrames reference;
    result::ComponentHasher hasher;
    std::unique_ptr<result::HashesUnderWay> hashing;

    /// The one place where what a job throws becomes an Error.
    Result<std::string> renderOrError(const protocol::RenderRequest& request,
                                      const protocol::ProgressCallback& progress, std::stop_token stop,
                                      const protocol::PreviewCallback& preview);
    std::string render(const protocol::RenderRequest& request, const protocol::ProgressCallback& progress,
                       std::stop_token stop, const protocol::PreviewCallback& preview);
    denoising::VideoModel& modelFor(const Plan& plan, denoising::StageClock& clock);
    /// Until loaded.hashes are there.
    void awaitHashes();
    /// How the plan's model lies in memory now; nothing where it isn't loaded.
    [[nodiscard]] std::optional<MemoryChoice> presentChoice(const Plan& plan) const;
    /// As far as it is known before there are frames.
    [[nodiscard]] result::Manifest manifestOf(const protocol::RenderRequest& request, const Plan& plan,
                                              const attention::Dispatcher& dispatcher) const;
};

std::optional<MemoryChoice> Renderer::State::presentChoice(const Plan& plan) const {
    if (!model || loaded.folder != plan.model.folder) return std::nullopt;
    return MemoryChoice{loaded.choices.offload, loaded.choices.encoders};
}

void Renderer::State::awaitHashes() {
    if (const auto underWay = std::move(hashing)) loaded.hashes = underWay->wait().value();
}

denoising::VideoModel& Renderer::State::modelFor(const Plan& plan, denoising::StageClock& clock) {
    // Files that changed under a warm worker are loaded again.
    if (model && loaded.isFrom(plan)) {
        awaitHashes();
        if (loaded.hashes == modelHashes(plan.model, plan.settings, hasher).value()) return *model;
    }
    hashing.reset();
    model.reset();
    clock.begin("load", 1);
    loaded = {plan.model.folder, choicesOf(plan), plan.execution, {}};
    hashing = std::make_unique<result::HashesUnderWay>(plan.model, plan.settings, hasher);
    model = loadModel(plan.model, choicesOf(plan), plan.execution);
    // A GPU's steps leave the processor free for it.
    if (plan.execution.device.is_cpu()) awaitHashes();
    clock.end();
    return *model;
}

result::Manifest Renderer::State::manifestOf(const protocol::RenderRequest& request, const Plan& plan,
                                             const attention::Dispatcher& dispatcher) const {
    const execution::DeviceDescription device = execution::describe(plan.execution);
    std::map<std::string, std::string> versions = device.versions;
    versions["reelgrid"] = kVersion;
    versions["libtorch"] = TORCH_VERSION;
    result::Manifest manifest{
        .request = request,
        .settings = plan.settings,
        .versions = std::move(versions),
        .device = plan.settings.device,
        .deviceName = device.name,
        .threads = at::get_num_threads(),
        .instructionSet = instructionSetOn(plan.execution),
        .modelId = plan.model.id,
        .modelHashes = loaded.hashes,
        .pictureHashes = plan.pictureHashes,
        .attention = dispatcher.records(),
        .plugins = pluginsOf(plan.settings),
        .framesSha256 = {},
        .clipSha256 = {},
        .memory = result::MemoryRecord{.offload = plan.settings.offload,
                                       .predictedPeak = plan.memory.forecast
                                                            ? std::optional(plan.memory.forecast->peak)
                                                            : std::nullopt},
        .gemms = model->gemms(),
    };
    manifest.request->resume = false;  // how it came about is no part of what was asked
    return manifest;
}

std::string Renderer::State::render(const protocol::RenderRequest& request,
                                    const protocol::ProgressCallback& progress, std::stop_token stop,
                                    const protocol::PreviewCallback& preview) {
    const c10::InferenceMode inference;
    Plan plan = planOf(request);
    settleMemory(plan, presentChoice(plan));
    const std::unique_ptr<StepProfiler> profiler = profilerFor(plan);
    denoising::StageClock clock(withForecast(progress, plan.memory.forecast), std::move(stop),
                                plan.execution);
    clock.setWatcher(profiler.get());
    const catalog::RenderSettings& settings = plan.settings;
    execution::setFp32Precision(settings.fp32Precision);
    auto pending = result::PendingResult::create(plan.clip).value();
    const UnfinishedNote note(request, settings.numInferenceSteps);
    auto mapping = std::make_unique<CallMapDispatcher>(dispatcherFor(plan), plan.model.layers,
                                                       settings.numInferenceSteps);
    CallMapDispatcher& calls = *mapping;
    std::unique_ptr<attention::Dispatcher> dispatcher = std::move(mapping);
    capture::CapturingDispatcher* captures = nullptr;
    if (settings.saveInputs) {
        auto capturing = std::make_unique<capture::CapturingDispatcher>(
            std::move(dispatcher), captureOptions(settings, plan.model, plan.clip, plan.execution));
        captures = capturing.get();
        dispatcher = std::move(capturing);
    }
    denoising::VideoModel& video = modelFor(plan, clock);
    plan.settings.vaeTiling = settledTiling(video, settings, execution::availableMemory(plan.execution));
    execution::requireMemory(plan.execution, video.workingBytes(settings), 0, sizeText(settings),
                             waysToNeedLess(settings, plan.model));

    const auto lockstep = lockstepOf(plan, clock);
    const auto previews = previewsOf(plan.model, hasher, settings.numInferenceSteps, preview);
    std::vector<denoising::StepObserver*> observers;
    if (previews) observers.push_back(previews.get());
    if (lockstep) observers.push_back(lockstep.get());
    const bool resumable = result::obstacleToResuming(settings).empty();
    ResumeFile::Story earlier;
    const auto manifestNow = [&] {
        awaitHashes();
        result::Manifest manifest = manifestOf(request, plan, *dispatcher);
        manifest.attention = joined(earlier.manifest.attention, std::move(manifest.attention));
        manifest.resumedAt = earlier.manifest.resumedAt;
        return manifest;
    };
    const auto hashesReady = [&] { return !hashing || hashing->ready(); };
    ResumeFile points(request, settings, hashesReady, [&] {
        ResumeFile::Story story{0, manifestNow(), clock.stepsUntilNow()};
        story.manifest.calls = calls.mapsOfBranches();
        return story;
    });
    if (request.resume && resumable) {
        if (auto left = points.readLeft(manifestNow())) {
            earlier = *std::move(left);
            earlier.manifest.resumedAt.push_back(earlier.done);
            calls.goOnFrom(earlier.manifest.calls);
            clock.setEarlier(earlier.timing);
        }
    }
    std::vector<result::Timing> repetitions;
    media::RgbVideo frames;
    for (int repetition = 0; repetition < settings.numRepetitions; ++repetition) {
        if (repetition > 0) {
            clock.setWatcher(nullptr);
            clock.startRepetition();
        }
        denoising::LoopFollowers followers{.resume = resumable ? &points : nullptr};
        if (repetition == 0) followers.observers = observers;
        const at::Tensor latents =
            denoising::denoise(video, settings, *dispatcher, clock, std::move(followers));
        dispatcher->endPasses();
        if (captures != nullptr) captures->stop();  // the same calls again in further repetitions
        clock.checkStop();
        if (repetition == 0) weights::writeSafetensors(pending.latents(), {{"latents", latents}}).value();
        frames = video.decode(latents, settings, clock);
        if (repetition + 1 < settings.numRepetitions) repetitions.push_back(clock.finishRepetition());
    }

    awaitHashes();
    clock.begin("metrics", 1);
    metrics::ClipMetrics measured =
        metrics::measure(frames, reference.matching(sourcesKey(loaded, plan), settings)).value();
    if (lockstep) measured.lockstep = lockstep->map();
    clock.begin("encode", 1);
    media::writeClip(pending.clip(), frames).value();
    std::optional<PendingFile> trace;
    if (profiler) {
        clock.begin("profile", 1);
        trace = profiler->write(protocol::tracePathOf(plan.clip, *settings.profileOutput)).value();
    }
    clock.end();
    result::Manifest manifest = manifestNow();
    manifest.framesSha256 = sha256Hex(frames.pixels);
    manifest.calls = calls.maps();
    if (captures != nullptr) {
        manifest.captures = captures->finish();
        manifest.captures->folder = captureFolder(settings).string();
    }
    if (trace) {
        manifest.profile = profiler->record();
        manifest.profile->trace = shownTrace(trace->finalPath(), plan.clip);
    }
    repetitions.push_back(clock.finishRepetition());
    manifest.memory->measuredPeak = repetitions.back().peakOfRender();
    manifest.stepCache = stepCacheOf(settings, repetitions.back());
    if (trace) trace->commit().value();
    pending.commit(std::move(manifest), measured, repetitions).value();
    reference.offer(sourcesKey(loaded, plan), settings, frames);
    return plan.clip.string();
}

Result<std::string> Renderer::State::renderOrError(const protocol::RenderRequest& request,
                                                   const protocol::ProgressCallback& progress,
                                                   std::stop_token stop,
                                                   const protocol::PreviewCallback& preview) {
    try {
        return render(request, progress, std::move(stop), preview);
    } catch (const Failure& failure) {
        return failure.error();
    } catch (const c10::OutOfMemoryError& failure) {
        Error error = errorOf(failure, ErrorCode::OutOfMemory);
        error.message +=
            " --offload blocks (where the model takes it), --vae-tiling on, --vae-dtype bf16, a smaller size "
            "or "
            "fewer frames take less.";
        return error;
    } catch (const c10::AcceleratorError& failure) {
        constexpr int kMemoryAllocation = 2;  // cudaErrorMemoryAllocation
        if (failure.get_error_code() == kMemoryAllocation)
            return errorOf(failure, ErrorCode::OutOfMemory).in("the GPU's memory is full");
        Error error = errorOf(failure, ErrorCode::DeviceLost).in("the GPU failed");
        // What a kernel did is seen later, wherever the GPU is waited for.
        for (const result::PluginRecord& plugin : pluginsOf(request))
            error.message += " Plug-in " + plugin.backend + " was asked for: `reelgrid-cli backends check " +
                             plugin.file + " --device cuda` says whether it is to blame.";
        return error;
    } catch (const c10::Error& failure) {
        return errorOf(failure, ErrorCode::Internal);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "the machine's memory is not enough for this render"};
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Internal, failure.what()};
    }
}

Renderer::Renderer() : m_state(std::make_unique<State>()) {
    execution::giveCpuMemoryErrorsTheirType();
}
Renderer::~Renderer() = default;

Result<std::string> Renderer::render(const protocol::RenderRequest& request,
                                     const protocol::ProgressCallback& progress, std::stop_token stop,
                                     const protocol::PreviewCallback& preview) {
    auto result = m_state->renderOrError(request, progress, std::move(stop), preview);
    if (!result) removeEmptyFoldersOf(request);
    return result;
}

}  // namespace reelgrid::pipeline

#include "core/pipeline/renderer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/attention/make_dispatcher.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/catalog/model_catalog.h"
#include "core/media/writer.h"
#include "core/metrics/clip_metrics.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/memory_check.h"
#include "core/pipeline/reference_frames.h"
#include "core/pipeline/video_model.h"
#include "core/protocol/result_paths.h"
#include "core/result/manifest.h"
#include "core/result/metrics_file.h"
#include "core/result/model_hashes.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kJsonIndent = 2;

/// Everything that can be wrong with the request itself, found before minutes are spent.
struct Plan {
    catalog::ModelInfo model;
    catalog::RenderSettings settings;
    fs::path clip;
    fs::path folder;
};

Plan planOf(const protocol::RenderRequest& request) {
    if (request.output.empty())
        throw Failure(ErrorCode::BadUsage, "--output: it is empty, the clip's file name was needed");
    Plan plan;
    plan.model = catalog::findModel(request.model).value();
    plan.settings = catalog::resolveSettings(request, plan.model).value();
    plan.clip = request.output;
    plan.folder = protocol::resultFolderOf(plan.clip);
    media::containerOf(plan.clip).value();
    PendingFile::create(plan.clip).value();
    PendingFile::create(plan.folder / protocol::kManifestFile).value();
    return plan;
}

std::unique_ptr<attention::Dispatcher> dispatcherFor(const Plan& plan) {
    const catalog::RenderSettings& settings = plan.settings;
    auto policy = attention::Policy::create(settings.attentionType, settings.attentionPolicy,
                                            {plan.model.layers, settings.numInferenceSteps});
    return attention::makeDispatcher(*std::move(policy)).value();
}

void writeJson(const fs::path& path, const json& content) {
    writeFile(path, content.dump(kJsonIndent) + "\n").value();
}

/// A render that failed before it had anything to keep leaves no folder either.
void removeIfEmpty(const fs::path& folder) {
    std::error_code notEmpty;
    if (fs::is_directory(folder, notEmpty)) fs::remove(folder, notEmpty);
}

/// A manifest from an earlier render must not stand beside a newer clip.
void removeStaleCompanions(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : {protocol::kManifestFile, protocol::kMetricsFile, protocol::kTimingFile})
        fs::remove(folder / name, ignored);
}

std::string sizeText(const catalog::RenderSettings& settings) {
    return std::to_string(settings.width) + "×" + std::to_string(settings.height) + ", " +
           std::to_string(settings.numFrames) + " frames";
}

Error errorOf(const c10::Error& failure) {
    const std::string message = failure.what_without_backtrace();
    const std::string firstLine = message.substr(0, message.find('\n'));
    const bool memory = message.find("not enough memory") != std::string::npos;
    return {memory ? ErrorCode::OutOfMemory : ErrorCode::Internal, firstLine};
}

}  // namespace

struct Renderer::State {
    std::string loadedKey;
    std::unique_ptr<VideoModel> model;
    ReferenceFrames reference;
    result::ComponentHasher hasher;

    /// The one place where what a job throws becomes an Error.
    Result<std::string> renderOrError(const protocol::RenderRequest& request,
                                      const protocol::ProgressCallback& progress, std::stop_token stop);
    std::string render(const protocol::RenderRequest& request, StageClock& clock);
    VideoModel& modelFor(const Plan& plan, StageClock& clock);
};

VideoModel& Renderer::State::modelFor(const Plan& plan, StageClock& clock) {
    const std::string key = plan.model.folder.string() + "\n" + plan.settings.dtype;
    if (key != loadedKey) {
        model.reset();
        loadedKey.clear();
        clock.begin("load", 1);
        model = loadModel(plan.model, plan.settings.dtype);
        loadedKey = key;
        clock.end();
    }
    return *model;
}

std::string Renderer::State::render(const protocol::RenderRequest& request, StageClock& clock) {
    const c10::InferenceMode inference;
    const Plan plan = planOf(request);
    const catalog::RenderSettings& settings = plan.settings;
    auto dispatcher = dispatcherFor(plan);
    VideoModel& video = modelFor(plan, clock);
    requireMemory(video.workingBytes(settings), sizeText(settings));

    std::vector<result::Timing> repetitions;
    media::RgbVideo frames;
    for (int repetition = 0; repetition < settings.numRepetitions; ++repetition) {
        if (repetition > 0) clock.startRepetition();
        const at::Tensor latents = video.denoise(settings, *dispatcher, clock);
        clock.checkStop();
        if (repetition == 0) {
            removeStaleCompanions(plan.folder);
            weights::writeSafetensors(plan.folder / protocol::kLatentsFile, {{"latents", latents}}).value();
        }
        frames = video.decode(latents, settings, clock);
        if (repetition + 1 < settings.numRepetitions) {
            clock.end();
            repetitions.push_back(clock.timing());
        }
    }

    clock.begin("metrics", 1);
    const std::string metrics =
        result::metricsJson(metrics::measure(frames, reference.matching(plan.model.id, settings)).value());
    reference.offer(plan.model.id, settings, frames);
    clock.begin("encode", 1);
    media::writeClip(plan.clip, frames).value();
    clock.end();
    repetitions.push_back(clock.timing());

    const result::Manifest manifest{
        .request = request,
        .settings = settings,
        .versions = {{"reelgrid", kVersion}, {"libtorch", TORCH_VERSION}},
        .device = settings.device,
        .threads = at::get_num_threads(),
        .modelId = plan.model.id,
        .modelHashes = modelHashes(plan.model, hasher).value(),
        .attention = dispatcher->records(),
        .framesSha256 = sha256Hex(frames.pixels),
        .clipSha256 = sha256OfFile(plan.clip).value(),
    };
    writeFile(plan.folder / protocol::kMetricsFile, metrics).value();
    writeJson(plan.folder / protocol::kTimingFile, toJson(repetitions));
    writeJson(plan.folder / protocol::kManifestFile, toJson(manifest));
    return plan.clip.string();
}

Result<std::string> Renderer::State::renderOrError(const protocol::RenderRequest& request,
                                                   const protocol::ProgressCallback& progress,
                                                   std::stop_token stop) {
    try {
        StageClock clock(progress, std::move(stop));
        return render(request, clock);
    } catch (const Failure& failure) {
        return failure.error();
    } catch (const c10::Error& failure) {
        return errorOf(failure);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "the machine's memory is not enough for this render"};
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Internal, failure.what()};
    }
}

Renderer::Renderer() : m_state(std::make_unique<State>()) {}
Renderer::~Renderer() = default;

Result<std::string> Renderer::render(const protocol::RenderRequest& request,
                                     const protocol::ProgressCallback& progress, std::stop_token stop) {
    auto result = m_state->renderOrError(request, progress, std::move(stop));
    if (!result) removeIfEmpty(protocol::resultFolderOf(request.output));
    return result;
}

}  // namespace reelgrid::pipeline

#include "core/pipeline/result_writing.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/media/containers.h"
#include "core/media/writer.h"
#include "core/metrics/clip_metrics.h"
#include "core/protocol/attention_call.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

/// As the manifest names a trace.
std::string shownTrace(const fs::path& trace, const fs::path& clip) {
    const fs::path below = trace.lexically_relative(protocol::resultFolderOf(clip));
    return (below.empty() || *below.begin() == ".." ? trace : below).generic_string();
}

/// What a step cache did in the last repetition; nullopt where none was asked for.
std::optional<result::StepCacheRecord> stepCacheOf(const catalog::RenderSettings& settings,
                                                   const result::Timing& timing) {
    if (stepCacheName(settings.stepCache).empty()) return std::nullopt;
    result::StepCacheRecord record;
    record.cache = settings.stepCache;
    for (const result::StepPasses& step : timing.passes) {
        record.passes += step.whole + step.skipped;
        record.skipped += step.skipped;
        record.skippedPerStep.push_back(step.skipped);
    }
    return record;
}

/// Writes the frames without loss, where they are asked for and the clip itself isn't that. A disk that has
/// no room for them costs them, not the render: `remarks` then says so.
std::optional<result::KeptFrames> keepFrames(const RenderPlan& plan, const media::RgbVideo& frames,
                                             const fs::path& file, std::vector<std::string>& remarks) {
    if (plan.settings.keepFrames != protocol::kKeepLossless ||
        media::containerOf(plan.clip).value() == media::Container::Mkv)
        return std::nullopt;
    const auto write = [&]() -> Result<result::KeptFrames> {
        if (auto written = media::writeClip(file, frames); !written) return written.error();
        auto hash = sha256OfFile(file);
        if (!hash) return hash.error();
        return result::KeptFrames{fs::file_size(file), *std::move(hash)};
    };
    auto kept = write();
    if (kept) return *std::move(kept);
    std::error_code ignored;
    fs::remove(file, ignored);
    remarks.push_back("the frames could not be kept without loss: " + kept.error().message);
    return std::nullopt;
}

std::optional<PendingFile> writeTrace(const RenderPlan& plan, StepProfiler* profiler,
                                      denoising::StageClock& clock) {
    if (profiler == nullptr) return std::nullopt;
    clock.begin("profile", 1);
    return profiler
        ->write(protocol::tracePathOf(plan.clip, *plan.settings.profileOutput, plan.execution.rank))
        .value();
}

}  // namespace

void writeRankTrace(const RenderPlan& plan, StepProfiler* profiler, denoising::StageClock& clock) {
    if (std::optional<PendingFile> trace = writeTrace(plan, profiler, clock)) trace->commit().value();
    clock.end();
}

void writeResult(const RenderPlan& plan, FrameProduction& production, const media::RgbVideo& frames,
                 ReferenceFrames& reference, StepProfiler* profiler, denoising::StageClock& clock,
                 result::PendingResult& pending) {
    const std::string sources = production.sourcesKey();
    clock.begin("metrics", 1);
    metrics::ClipMetrics measured =
        metrics::measure(frames, reference.matching(sources, plan.settings)).value();
    if (measured.drift) {
        measured.drift->reference = protocol::kReferenceBackend;
        measured.drift->referenceSha256 = reference.clipSha256();
    }
    measured.latentCorrelation = production.latentCorrelation();
    measured.independentCorrelation = production.correlationApart();
    if (auto lockstep = production.lockstep()) measured.lockstep = *std::move(lockstep);
    clock.begin("encode", 1);
    media::writeClip(pending.clip(), frames).value();
    std::vector<std::string> remarks;
    auto kept = keepFrames(plan, frames, pending.frames(), remarks);
    std::optional<PendingFile> trace = writeTrace(plan, profiler, clock);
    clock.end();

    result::Manifest manifest = production.finishManifest();
    manifest.framesSha256 = sha256Hex(frames.pixels);
    manifest.keptFrames = std::move(kept);
    manifest.remarks.insert(manifest.remarks.end(), remarks.begin(), remarks.end());
    if (trace) {
        manifest.profile = profiler->record();
        manifest.profile->trace = shownTrace(trace->finalPath(), plan.clip);
    }
    std::vector<result::Timing> repetitions = production.earlierRepetitions();
    repetitions.push_back(clock.finishRepetition());
    for (result::Timing& repetition : repetitions) repetition.frames = plan.settings.numFrames;
    manifest.memory->measuredPeak = repetitions.back().peakOfRender();
    manifest.stepCache = stepCacheOf(plan.settings, repetitions.back());
    if (trace) trace->commit().value();
    const std::string clipSha256 =
        pending.commit(std::move(manifest), std::move(measured), repetitions).value();
    reference.offer(sources, plan.settings, frames, clipSha256);
}

}  // namespace reelgrid::pipeline

#include "core/comparison/summary.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/result_paths.h"
#include "core/result/metrics_file.h"

namespace reelgrid::comparison {

using nlohmann::json;
using protocol::CallRecord;

namespace {

/// How sparse a kernel was, which at few tokens may be not at all.
std::string keptText(double kept) {
    const std::string percent = fixed(100 * kept, 0);
    return percent == "100" ? "all blocks kept, nothing was left out" : percent + " % of the blocks kept";
}

}  // namespace

json clipJson(const std::filesystem::path& clip, const result::ClipResult& result) {
    json object = {{"clip", clip.string()}, {"files", protocol::resultFolderOf(clip).string()}};
    if (!result.timings.empty()) object["timing"] = toJson(result.timings);
    if (result.metrics.frames > 0) object["metrics"] = json(result::toJson(result.metrics));
    if (result.manifest.request) object["manifest"] = toJson(result.manifest);
    return object;
}

std::string timingLine(const result::Timing& timing) {
    std::string line;
    for (const auto& [stage, seconds] : timing.stages)
        line += (line.empty() ? "" : ", ") + stage + " " + fixed(seconds, 2) + " s";
    if (const auto seconds = timing.secondsPerFrame(); seconds && timing.framesPerSecond())
        line +=
            "; " + fixed(*seconds, 2) + " s a frame, " + fixed(*timing.framesPerSecond(), 2) + " frames/s";
    return line;
}

std::string profileLine(const result::ProfileRecord& profile) {
    const int last = profile.firstStep + profile.steps - 1;
    const std::string first = std::to_string(profile.firstStep);
    return "profiled: " +
           (profile.steps > 1 ? "steps " + first + " to " + std::to_string(last) : "step " + first) +
           (profile.decode ? " and the decode" : "") + " in " + profile.trace +
           "; their times have the profiler's in them";
}

std::string stepCacheLine(const result::StepCacheRecord& cache) {
    using Method = protocol::StepCache::Method;
    const Method method = cache.cache.method;
    return protocol::stepCacheName(cache.cache) + ": " + std::to_string(cache.skipped) + " of " +
           std::to_string(cache.passes) + " passes " +
           (method == Method::TaylorSeer
                ? "were foretold"
                : std::string("skipped all blocks") + (method == Method::FirstBlock ? " but the first" : ""));
}

std::string attentionLine(const result::Manifest& manifest) {
    std::string line;
    for (const protocol::ModuleKindInfo& info : protocol::kModuleKinds) {
        bool first = true;
        for (const CallRecord& call : manifest.attention) {
            if (call.kind != info.kind) continue;
            line += first ? (line.empty() ? "" : "; ") + std::string(info.phrase) + ": " : ", ";
            line += call.used + " " + std::to_string(call.calls) + " calls" +
                    (call.used != call.requested ? " in place of " + call.requested : "") +
                    (call.kept ? ", " + fixed(100 * *call.kept, 0) + " % of the blocks kept" : "");
            first = false;
        }
    }
    return line;
}

std::string lockstepLine(const metrics::LockstepMap& map) {
    std::string line;
    for (const metrics::LockstepBackend& backend : map.backends) {
        const double mean = metrics::meanOfFinite(backend.attention.relativeL1);
        line += (line.empty() ? "lockstep, mean relative L1 of attention: " : ", ") + backend.name + " " +
                (std::isfinite(mean) ? significant(mean, 3) : "did not run");
    }
    return line;
}

std::vector<std::string> attentionRemarks(const result::Manifest& manifest) {
    std::vector<std::string> lines = manifest.remarks;
    for (const CallRecord& call : manifest.attention) {
        const std::string module = protocol::infoOf(call.kind).phrase;
        if (call.used != call.requested)
            lines.push_back(module + ": " + call.requested + " was asked for, " + call.used + " ran " +
                            std::to_string(call.calls) + " calls" +
                            (call.why.empty() ? "" : " (" + call.why + ")"));
        else if (!call.why.empty())
            lines.push_back(module + " with " + call.used + ": " + call.why);
        if (call.kept) lines.push_back(module + " with " + call.used + ": " + keptText(*call.kept));
    }
    return lines;
}

std::string tilingLine(const catalog::RenderSettings& asked, const result::Manifest& manifest) {
    if (asked.vaeTiling != protocol::kTilingAuto || !manifest.settings) return "";
    if (manifest.settings->vaeTiling != protocol::kTilingOn) return "";
    return "the VAE decoded in tiles of " + std::to_string(manifest.settings->vaeTilePx) +
           " pixels, as the whole needs more memory than is free (--vae-tiling)";
}

std::string captureLine(const std::filesystem::path& clip, const result::Manifest& manifest) {
    if (!manifest.captures) return {};
    const protocol::CaptureRecord& captures = *manifest.captures;
    constexpr double kMiB = 1 << 20;
    return "captures: the inputs of " + std::to_string(captures.saved) + " of " +
           std::to_string(captures.calls) + " attention calls, " + fixed(double(captures.bytes) / kMiB, 1) +
           " MiB in " + (protocol::resultFolderOf(clip) / captures.folder).string() +
           (captures.why.empty() ? "" : "; " + captures.why);
}

}  // namespace reelgrid::comparison

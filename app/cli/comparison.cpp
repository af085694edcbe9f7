#include "app/cli/comparison.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/console.h"
#include "core/base/pending_file.h"
#include "core/base/version.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/metrics/clip_metrics.h"
#include "core/metrics/metrics_report.h"
#include "core/protocol/parse_json.h"
#include "core/protocol/result_paths.h"
#include "core/session/session.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kReferenceType = "sdpa";

Result<json> readJson(const fs::path& file) {
    auto text = readFile(file);
    if (!text) return text.error();
    return protocol::parseJson(*text, file.string());
}

std::string textAt(const json& object, const char* group, const char* key) {
    if (!object.contains(group) || !object[group].is_object()) return {};
    const auto found = object[group].find(key);
    return found != object[group].end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<void> addDrift(const ComparisonEntry& entry, const media::RgbVideo& reference,
                      const fs::path& referenceClip) {
    auto video = media::readRgb(entry.clip());
    if (!video) return video.error();
    auto measured = metrics::measure(*video, &reference);
    if (!measured) return measured.error();
    const fs::path file = protocol::resultFolderOf(entry.clip()) / protocol::kMetricsFile;
    auto existing = readJson(file);
    json document = existing && existing->is_object() ? *existing : json::object();
    auto fresh = protocol::parseJson(metrics::metricsJson(*measured), "metrics");
    if (!fresh) return fresh.error();
    json drift = {{"reference", kReferenceType},
                  {"reference_clip", referenceClip.filename().string()},
                  {"measured_on", "decoded clips"}};
    for (const char* key : {"psnr", "ssim"})
        if (fresh->contains(key)) drift[key] = (*fresh)[key];
    document["drift"] = std::move(drift);
    return writeFile(file, protocol::printJsonIndented(document));
}

}  // namespace

std::vector<const ComparisonEntry*> Comparison::finished() const {
    std::vector<const ComparisonEntry*> finished;
    for (const ComparisonEntry& entry : entries)
        if (!entry.error) finished.push_back(&entry);
    return finished;
}

bool isReusable(const CheckedRequest& checked) {
    const fs::path clip = checked.request.output;
    if (!media::Clip::open(clip)) return false;
    const auto manifest = readJson(protocol::resultFolderOf(clip) / protocol::kManifestFile);
    if (!manifest || !manifest->is_object() || !manifest->contains("request")) return false;
    if (textAt(*manifest, "versions", "reelgrid") != kVersion) return false;
    const auto request = protocol::renderRequestFromJson((*manifest)["request"]);
    if (!request || request->model != checked.request.model) return false;
    const auto settings = catalog::resolveSettings(*request, checked.model);
    return settings && *settings == checked.settings;
}

Result<void> measureMissingDrift(Comparison& comparison) {
    const ComparisonEntry* reference = nullptr;
    for (const ComparisonEntry* entry : std::as_const(comparison).finished())
        if (entry->name() == kReferenceType) reference = entry;
    if (reference == nullptr) return {};
    std::optional<media::RgbVideo> frames;
    for (ComparisonEntry& entry : comparison.entries) {
        if (entry.error || &entry == reference || entry.measured.drift) continue;
        if (!frames) {
            auto read = media::readRgb(reference->clip());
            if (!read) return read.error();
            frames = *std::move(read);
        }
        if (auto added = addDrift(entry, *frames, reference->clip()); !added) return added;
        entry.measured = session::readClipMeasurements(entry.clip());
    }
    return {};
}

std::optional<session::SameWork> sameWork(const Comparison& comparison) {
    std::vector<double> seconds;
    for (const ComparisonEntry* entry : comparison.finished())
        if (const auto outside = session::secondsOutsideAttention(entry->measured))
            seconds.push_back(*outside);
    return session::sameWorkOf(seconds);
}

std::string unevenWorkLine(const session::SameWork& work) {
    return "the same work, denoising outside attention, took " + fixed(work.fastest, 2) + " to " +
           fixed(work.slowest, 2) +
           " s: the machine was not equally fast for all clips; render again on a quiet one before quoting a "
           "ratio of times";
}

Result<void> saveSession(const Comparison& comparison) {
    session::Session session;
    for (const ComparisonEntry* entry : comparison.finished())
        session.clips.push_back({entry->clip(), entry->label(), entry->name(), 0});
    if (!comparison.entries.empty()) session.request = comparison.entries.front().checked.request;
    return session::saveSession(session, comparison.sessionPath());
}

}  // namespace reelgrid::cli

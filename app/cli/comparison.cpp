#include "app/cli/comparison.h"

#include "core/base/pending_file.h"
#include "core/base/version.h"
#include "core/comparison/clip_measurer.h"
#include "core/comparison/report.h"
#include "core/media/clip.h"
#include "core/protocol/result_paths.h"
#include "core/result/metrics_file.h"
#include "core/session/session.h"

namespace reelgrid::cli {

namespace fs = std::filesystem;

std::vector<const ComparisonEntry*> Comparison::finished() const {
    std::vector<const ComparisonEntry*> finished;
    for (const ComparisonEntry& entry : entries)
        if (!entry.error) finished.push_back(&entry);
    return finished;
}

void readResult(ComparisonEntry& entry) {
    entry.result = result::readClipResult(entry.clip);
    const catalog::RenderSettings& settings = entry.checked.settings;
    entry.caption = comparison::captionOf(settings.attentionType, settings.attentionPolicy,
                                          entry.result.manifest.attention);
}

bool isReusable(const CheckedRequest& checked) {
    const fs::path clip = checked.request.output;
    if (!media::Clip::open(clip)) return false;
    const result::Manifest manifest = result::readClipResult(clip).manifest;
    const auto version = manifest.versions.find("reelgrid");
    if (version == manifest.versions.end() || version->second != kVersion) return false;
    if (!manifest.request || manifest.request->model != checked.request.model) return false;
    const auto settings = catalog::resolveSettings(*manifest.request, checked.model);
    return settings && *settings == checked.settings;
}

Result<void> measureMissingDrift(Comparison& comparison) {
    const auto shared = comparison.shared();
    const comparison::Entry* reference = referenceOf(shared);
    if (reference == nullptr) return {};
    comparison::ClipMeasurer measurer(reference->clip);
    for (ComparisonEntry& entry : comparison.entries) {
        if (entry.error) continue;
        auto added = measurer.complete(entry.clip, entry.result.metrics);
        if (!added) return added.error();
        if (!*added) continue;
        const fs::path file = protocol::resultFolderOf(entry.clip) / protocol::kMetricsFile;
        if (auto written = writeFile(file, result::metricsJson(entry.result.metrics)); !written)
            return written;
    }
    return {};
}

Result<void> saveReport(const Comparison& comparison) {
    const CheckedRequest& checked = comparison.entries.front().checked;
    const comparison::Report report{.modelTitle = checked.model.title,
                                    .settings = checked.settings,
                                    .idleRules = idleRules(checked),
                                    .entries = comparison.shared(),
                                    .folder = comparison.folder,
                                    .grid = comparison.grid};
    return writeFile(comparison.reportPath(), comparison::reportHtml(report));
}

Result<void> saveSession(const Comparison& comparison) {
    session::Session session;
    for (const ComparisonEntry* entry : comparison.finished())
        session.clips.push_back({entry->clip, entry->caption.text(), entry->caption.name, 0});
    if (!comparison.entries.empty()) session.request = comparison.entries.front().checked.request;
    return session::saveSession(session, comparison.sessionPath());
}

}  // namespace reelgrid::cli

#include "app/studio/session_report.h"

#include <algorithm>

#include "app/studio/measurement_reader.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/catalog/model_catalog.h"
#include "core/catalog/policy_check.h"
#include "core/comparison/report.h"
#include "core/media/stitch.h"
#include "core/metrics/added_measures.h"

namespace reelgrid::studio {

namespace {

using comparison::Entry;

Entry entryOf(const session::SessionClip& clip) {
    Entry entry{.caption = {}, .clip = clip.path, .error = {}, .result = result::readResultOfFile(clip.path)};
    entry.caption = comparison::captionOf(entry.result.manifest);
    if (entry.caption.name.empty()) entry.caption = {clip.label, clip.attentionType, ""};
    return entry;
}

/// What the clips have in common, as one of them ran; else as the session asks for it.
Result<catalog::RenderSettings> settingsOf(const std::vector<Entry>& entries,
                                           const ReportedComparison& comparison,
                                           const Result<families::ModelInfo>& model) {
    for (const Entry& entry : entries)
        if (entry.result.manifest.settings) return *entry.result.manifest.settings;
    if (!model) return model.error();
    return catalog::resolveSettings(comparison.session.request, *model, comparison.machine);
}

/// The grid in the session's folder, where it says that it was stitched from these very clips; else empty.
std::filesystem::path gridOf(const ReportedComparison& comparison) {
    if (comparison.folder.empty()) return {};
    std::filesystem::path grid = comparison.folder / kGridFile;
    std::vector<std::string> stitched = media::clipsOfGrid(grid);
    if (stitched.size() != comparison.session.clips.size()) return {};
    std::vector<std::string> shown;
    for (const session::SessionClip& clip : comparison.session.clips) {
        auto hash = sha256OfFile(clip.path);
        if (!hash) return {};
        shown.push_back(*std::move(hash));
    }
    return std::ranges::is_permutation(stitched, shown) ? grid : std::filesystem::path();
}

}  // namespace

bool isForeign(const std::filesystem::path& file) {
    const auto text = readFile(file);
    return text ? text->find(comparison::kReportMark) == std::string::npos
                : text.error().code != ErrorCode::NotFound;
}

Result<void> writeReport(const ReportedComparison& comparison, const std::filesystem::path& file) {
    const session::Session& session = comparison.session;
    comparison::Report report;
    for (const session::SessionClip& clip : session.clips) report.entries.push_back(entryOf(clip));
    const Entry* reference = comparison::referenceOf(report.entries);
    const comparison::ClipMeasurer measurer(reference == nullptr ? std::filesystem::path() : reference->clip);
    // A clip that can't be measured is reported with what is known of it.
    for (Entry& entry : report.entries) {
        metrics::dropOtherDrift(measurer.referenceSha256(), entry.result.metrics);
        static_cast<void>(measurer.complete(entry.clip, entry.result.metrics));
        const auto found = comparison.requested.find(entry.clip);
        if (found == comparison.requested.end()) continue;
        metrics::ClipMetrics requested = found->second;
        metrics::dropOtherDrift(measurer.referenceSha256(), requested);
        metrics::addMeasures(requested, entry.result.metrics);
    }
    const auto model = catalog::findModel(session.request.model);
    auto settings = settingsOf(report.entries, comparison, model);
    if (!settings) return settings.error().in("report");
    report.settings = *std::move(settings);
    if (model) report.idleRules = catalog::idleRules(report.settings, *model);
    report.modelTitle = model ? model->title : session.request.model;
    report.entries.insert(report.entries.end(), comparison.failed.begin(), comparison.failed.end());
    report.folder = file.parent_path();
    report.grid = gridOf(comparison);
    report.blindVotes = session.blindVotes;
    return writeFile(file, comparison::reportHtml(report));
}

}  // namespace reelgrid::studio

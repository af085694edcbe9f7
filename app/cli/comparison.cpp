#include "app/cli/comparison.h"

#include <algorithm>

#include "app/cli/console.h"
#include "core/base/pending_file.h"
#include "core/catalog/policy_check.h"
#include "core/comparison/clip_measurer.h"
#include "core/comparison/earlier_result.h"
#include "core/comparison/report.h"
#include "core/protocol/result_paths.h"
#include "core/result/metrics_file.h"
#include "core/result/writer_lock.h"
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
    const catalog::RenderSettings& settings = entry.checked.settings();
    entry.caption = comparison::captionOf(settings, entry.result.manifest.attention);
}

void reuseEarlier(Comparison& comparison) {
    using State = comparison::EarlierResult::State;
    comparison::EarlierResults earlier(comparison.entries.front().checked.model());
    for (ComparisonEntry& entry : comparison.entries) {
        const auto found = earlier.look(entry.checked.request(), entry.checked.settings());
        entry.reused = found.state == State::Same;
        if (found.state == State::Other) say(entry.caption.name + ": rendered again: " + found.why);
    }
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
        const fs::path folder = protocol::resultFolderOf(entry.clip);
        const auto lock = result::WriterLock::acquire(folder);
        if (!lock) return lock.error();
        if (auto written =
                writeFile(folder / protocol::kMetricsFile, result::metricsJson(entry.result.metrics));
            !written)
            return written;
    }
    return {};
}

Result<void> saveReport(const Comparison& comparison) {
    const CheckedRequest& checked = comparison.entries.front().checked;
    const comparison::Report report{.modelTitle = checked.model().title,
                                    .settings = checked.settings(),
                                    .idleRules = catalog::idleRules(checked.settings(), checked.model()),
                                    .entries = comparison.shared(),
                                    .folder = comparison.folder,
                                    .grid = comparison.grid};
    return writeFile(comparison.reportPath(), comparison::reportHtml(report));
}

Result<void> saveSession(const Comparison& comparison) {
    session::Session session;
    for (const ComparisonEntry* entry : comparison.finished())
        session.clips.push_back({entry->clip, entry->caption.text(), entry->caption.name, 0});
    // The first one may be the reference of a step cache or of rounded linear layers.
    if (!comparison.entries.empty()) {
        const protocol::RenderRequest& last = comparison.entries.back().checked.request();
        session.request = comparison.entries.front().checked.request();
        const auto hasItsCache = [&](const ComparisonEntry& entry) {
            return entry.checked.request().stepCache == last.stepCache;
        };
        if (std::all_of(comparison.entries.begin() + 1, comparison.entries.end(), hasItsCache))
            session.request.stepCache = last.stepCache;
        session.request.linear = last.linear;
        session.request.useFp8Gemms = last.useFp8Gemms;
    }
    session.request.resume = false;
    // The studio renders in one process.
    session.request.ulyssesDegree = session.request.ringDegree = session.request.cfgParallel = std::nullopt;
    // The studio asks for every backend with this one request; one clip's maps are enough.
    session.request.lockstep.clear();
    return session::saveSession(session, comparison.sessionPath());
}

}  // namespace reelgrid::cli

#include "app/cli/comparison.h"

#include <algorithm>

#include "app/cli/console.h"
#include "app/cli/progress_line.h"
#include "core/base/pending_file.h"
#include "core/catalog/policy_check.h"
#include "core/comparison/clip_measurer.h"
#include "core/comparison/clip_name.h"
#include "core/comparison/earlier_result.h"
#include "core/comparison/report.h"
#include "core/metrics/added_measures.h"
#include "core/protocol/result_paths.h"
#include "core/result/measured_file.h"
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
    const comparison::ClipMeasurer measurer(reference == nullptr ? fs::path() : reference->clip);
    for (ComparisonEntry& entry : comparison.entries)
        metrics::dropOtherDrift(measurer.referenceSha256(), entry.result.metrics);
    if (reference == nullptr) return {};
    for (ComparisonEntry& entry : comparison.entries) {
        if (entry.error) continue;
        auto added = measurer.complete(entry.clip, entry.result.metrics);
        if (!added) return added.error();
        if (entry.isForeign && entry.result.metrics.drift) {
            const auto error = latentError(entry.clip, reference->clip);
            if (!error) return error.error();
            entry.result.metrics.drift->latentError = *error;
        }
        if (!*added) continue;
        if (auto saved = result::saveMetrics(entry.clip, entry.result.metrics); !saved) return saved;
    }
    return {};
}

namespace {

/// The reference, else the first that has no error.
const ComparisonEntry* engineReferenceOf(const Comparison& comparison) {
    const auto finished = comparison.finished();
    const auto reference = std::ranges::find_if(
        finished, [](const ComparisonEntry* entry) { return entry->caption.isReference(); });
    return reference == finished.end() ? finished.front() : *reference;
}

}  // namespace

Result<void> requireDecodable(const DiffusersEngine& engine, const Comparison& comparison,
                              const machine::Machine& machine) {
    const ComparisonEntry* reference = engineReferenceOf(comparison);
    return reference->reused ? engine.acceptsDecoded(reference->clip)
                             : engine.acceptsDecodeOf(reference->checked, machine);
}

void renderWith(const DiffusersEngine& engine, Comparison& comparison, const std::stop_token& stop) {
    const ComparisonEntry* reference = engineReferenceOf(comparison);
    ComparisonEntry entry;
    entry.isForeign = true;
    entry.checked = reference->checked;
    entry.caption = {engine.title(), DiffusersEngine::kName, ""};
    // Named as ours are, its name in the backend's place.
    catalog::RenderSettings named = entry.checked.settings();
    named.attentionType = DiffusersEngine::kName;
    named.attentionPolicy = {};
    entry.clip = reference->clip.parent_path() / comparison::clipName(entry.checked.model(), named);
    ProgressLine line;
    const auto rendered = engine.render(
        entry.checked, reference->clip, entry.clip,
        [&](const std::string& stage, int done, int total) {
            line.update(engine.title(), stage, done, total, -1);
        },
        stop);
    line.clear();
    if (rendered)
        entry.result = result::readClipResult(entry.clip);
    else
        entry.error = rendered.error();
    comparison.entries.push_back(std::move(entry));
}

Result<void> measureAsked(Comparison& comparison, MetricOptions& asked, const std::stop_token& stop) {
    if (!asked.any()) return {};
    const catalog::RenderSettings& settings = comparison.entries.front().checked.settings();
    if (auto loaded = asked.load(settings.device); !loaded) return loaded;
    const auto shared = comparison.shared();
    const comparison::Entry* reference = referenceOf(shared);
    const std::string needing = asked.needingReference();
    if (reference == nullptr && !needing.empty())
        say("note: " + needing + ": there is no " + protocol::kReferenceBackend + " clip to measure against");
    ProgressLine line;
    int done = 0;
    for (ComparisonEntry& entry : comparison.entries) {
        line.update("", "measuring", done++, int(comparison.entries.size()), -1);
        if (entry.error) continue;
        const auto added = asked.measure(entry.clip, reference == nullptr ? fs::path() : reference->clip,
                                         settings.prompt, entry.result.metrics, stop);
        if (!added) return added.error();
        if (!*added) continue;
        if (auto saved = result::saveMetrics(entry.clip, entry.result.metrics); !saved) return saved;
    }
    line.clear();
    return {};
}

Result<void> saveReport(Comparison& comparison, const session::Session& session) {
    const CheckedRequest& checked = comparison.entries.front().checked;
    const comparison::Report report{.modelTitle = checked.model().title,
                                    .settings = checked.settings(),
                                    .idleRules = catalog::idleRules(checked.settings(), checked.model()),
                                    .entries = comparison.shared(),
                                    .folder = comparison.folder,
                                    .grid = comparison.grid,
                                    .blindVotes = session.blindVotes};
    auto written = writeFile(comparison.reportPath(), comparison::reportHtml(report));
    if (written) comparison.report = comparison.reportPath();
    return written;
}

session::Session sessionOf(const Comparison& comparison) {
    session::Session session;
    for (const ComparisonEntry* entry : std::as_const(comparison).finished())
        session.clips.push_back({entry->clip, entry->caption.text(), entry->caption.name, 0});
    // The first one may be the reference of a step cache or of rounded linear layers.
    if (!comparison.entries.empty()) {
        const auto ours = std::ranges::find_if(comparison.entries.rbegin(), comparison.entries.rend(),
                                               [](const ComparisonEntry& entry) { return !entry.isForeign; });
        const protocol::RenderRequest& last = ours->checked.request();
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
    // The studio asks for every backend with this one request; one clip's maps are enough.
    session.request.lockstep.clear();
    for (const std::string& line : comparison.earlier.keepIn(session))
        say("note: " + comparison.sessionPath().string() + ": " + line);
    return session;
}

Result<void> saveSession(Comparison& comparison, const session::Session& session) {
    const auto aside = comparison.earlier.replaceBy(session);
    if (!aside) return aside.error();
    if (!aside->empty()) say("note: " + *aside);
    comparison.session = comparison.sessionPath();
    return {};
}

}  // namespace reelgrid::cli

#include "app/studio/measuring.h"

#include "app/studio/measurement_reader.h"
#include "core/metrics/added_measures.h"

namespace reelgrid::studio {

namespace {

/// What was asked for while the rest was being measured stays, as far as it is against the same reference.
void keepRequested(const ComparedClip* shown, metrics::ClipMetrics& measured) {
    if (shown == nullptr || !shown->facts) return;
    metrics::ClipMetrics known = shown->facts->result.metrics;
    metrics::dropOtherDrift(measured.drift ? measured.drift->referenceSha256 : "", known);
    metrics::addMeasures(known, measured);
}

}  // namespace

Measuring::Measuring(Comparison* comparison, QObject* parent) : QObject(parent), m_comparison(comparison) {
    for (BackgroundThread* thread : {&m_reader, &m_background})
        connect(thread, &BackgroundThread::failed, this, &Measuring::problem);
    connect(m_comparison, &Comparison::clipArrived, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipAdded, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipRemoved, this, &Measuring::forget);
    // Either may make another clip the reference. Queued: of many that go together only what stays counts.
    connect(m_comparison, &Comparison::clipRemoved, this, &Measuring::lookForWork, Qt::QueuedConnection);
    connect(m_comparison, &Comparison::orderChanged, this, &Measuring::lookForWork);
}

void Measuring::forget(int id) {
    m_measured.erase(id);
}

void Measuring::lookForWork() {
    const ComparedClip* reference = m_comparison->reference();
    const std::filesystem::path referencePath = reference == nullptr ? "" : reference->path;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.onDisk || clip.status.failed) continue;
        const auto measured = m_measured.find(clip.id);
        if (measured != m_measured.end() && measured->second == referencePath) continue;
        m_measured[clip.id] = referencePath;
        read(clip, referencePath);
    }
}

void Measuring::read(const ComparedClip& clip, const std::filesystem::path& reference) {
    m_reader.run([this, id = clip.id, path = clip.path,
                  reference](const std::stop_token&) -> BackgroundThread::Completion {
        ReadFacts read = readClipFacts(path);
        const std::string referenceSha256 = comparison::ClipMeasurer(reference).referenceSha256();
        metrics::dropOtherDrift(referenceSha256, read.facts.result.metrics);
        return [this, id, path, reference, referenceSha256, read = std::move(read)] {
            for (const QString& message : read.problems) Q_EMIT problem(message);
            const ComparedClip* shown = m_comparison->find(id);
            if (shown == nullptr) return;
            // What was measured against another reference is not shown any more.
            ClipFacts known = shown->facts ? *shown->facts : read.facts;
            metrics::dropOtherDrift(referenceSha256, known.result.metrics);
            m_comparison->setFacts(id, std::move(known));
            measure(id, path, read.facts, reference);
        };
    });
}

void Measuring::measure(int id, const std::filesystem::path& clip, ClipFacts facts,
                        const std::filesystem::path& reference) {
    m_background.run([this, id, clip, facts = std::move(facts),
                      reference](const std::stop_token& stop) -> BackgroundThread::Completion {
        ClipFacts complete = facts;
        const comparison::ClipMeasurer measurer(reference);
        const QStringList problems = completeClipFacts(clip, measurer, complete, stop);
        return [this, id, reference, complete = std::move(complete), problems]() mutable {
            for (const QString& message : problems) Q_EMIT problem(message);
            const auto asked = m_measured.find(id);
            if (asked == m_measured.end() || asked->second != reference) return;  // against another by now
            keepRequested(m_comparison->find(id), complete.result.metrics);
            m_comparison->setFacts(id, complete);
        };
    });
}

}  // namespace reelgrid::studio

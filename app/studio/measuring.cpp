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
    const int referenceId = reference == nullptr ? 0 : reference->id;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.onDisk || clip.status.failed) continue;
        const auto measured = m_measured.find(clip.id);
        if (measured != m_measured.end() && measured->second == referenceId) continue;
        m_measured[clip.id] = referenceId;
        read(clip, reference);
    }
}

void Measuring::read(const ComparedClip& clip, const ComparedClip* against) {
    const int referenceId = against == nullptr ? 0 : against->id;
    const std::filesystem::path reference = against == nullptr ? "" : against->path;
    m_reader.run([this, id = clip.id, path = clip.path, referenceId,
                  reference](const std::stop_token&) -> BackgroundThread::Completion {
        ReadFacts read = readClipFacts(path);
        const std::string referenceSha256 = comparison::ClipMeasurer(reference).referenceSha256();
        metrics::dropOtherDrift(referenceSha256, read.facts.result.metrics);
        return [this, id, path, referenceId, reference, referenceSha256, read = std::move(read)] {
            for (const QString& message : read.problems) Q_EMIT problem(message);
            const ComparedClip* shown = m_comparison->find(id);
            if (shown == nullptr) return;
            if (!shown->facts) {
                show(*shown, read.facts);
            } else {
                // What was measured against another reference is not shown any more.
                ClipFacts known = *shown->facts;
                metrics::dropOtherDrift(referenceSha256, known.result.metrics);
                m_comparison->setFacts(id, std::move(known));
            }
            // Another clip may have turned out to be the reference.
            if (isDue(id, referenceId)) measure(id, path, read.facts, reference, referenceId);
        };
    });
}

/// Says where a clip was called by another backend's name than that which rendered it.
void Measuring::show(const ComparedClip& clip, const ClipFacts& facts) {
    const int id = clip.id;
    const comparison::Caption ran = comparison::captionOf(facts.result.manifest);
    if (ran.isContradictedBy(clip.label.toStdString()))
        Q_EMIT problem(tr("%1: its manifest says that %2 rendered it; it is labelled %3")
                           .arg(QString::fromStdString(clip.path.string()),
                                QString::fromStdString(ran.text()), clip.label));
    m_comparison->setFacts(id, facts);
    lookForWork();
}

bool Measuring::isDue(int id, int referenceId) const {
    const auto asked = m_measured.find(id);
    return asked != m_measured.end() && asked->second == referenceId;
}

void Measuring::measure(int id, const std::filesystem::path& clip, ClipFacts facts,
                        const std::filesystem::path& reference, int referenceId) {
    m_background.run([this, id, clip, facts = std::move(facts), reference,
                      referenceId](const std::stop_token& stop) -> BackgroundThread::Completion {
        ClipFacts complete = facts;
        const comparison::ClipMeasurer measurer(reference);
        const QStringList problems = completeClipFacts(clip, measurer, complete, stop);
        return [this, id, referenceId, complete = std::move(complete), problems]() mutable {
            for (const QString& message : problems) Q_EMIT problem(message);
            if (!isDue(id, referenceId)) return;  // against another by now
            keepRequested(m_comparison->find(id), complete.result.metrics);
            m_comparison->setFacts(id, complete);
        };
    });
}

}  // namespace reelgrid::studio

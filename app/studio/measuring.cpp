#include "app/studio/measuring.h"

#include "app/studio/measurement_reader.h"

namespace reelgrid::studio {

Measuring::Measuring(Comparison* comparison, QObject* parent) : QObject(parent), m_comparison(comparison) {
    connect(&m_background, &BackgroundThread::failed, this, &Measuring::problem);
    connect(m_comparison, &Comparison::clipArrived, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipAdded, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipRemoved, this, &Measuring::forget);
}

void Measuring::forget(int id) {
    m_measured.erase(id);
    // The frames of a reference that went are no reference any more, whatever comes under its name.
    if (m_comparison->reference() == nullptr) m_measurer.reset();
}

void Measuring::lookForWork() {
    const ComparedClip* reference = m_comparison->reference();
    const std::filesystem::path referencePath = reference == nullptr ? "" : reference->path;
    if (!m_measurer || m_reference != referencePath) {
        m_reference = referencePath;
        m_measurer = std::make_shared<comparison::ClipMeasurer>(clipMeasurer(m_reference));
    }
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.onDisk || clip.status.failed) continue;
        const auto measured = m_measured.find(clip.id);
        if (measured != m_measured.end() && measured->second == m_reference) continue;
        m_measured[clip.id] = m_reference;
        measure(clip);
    }
}

void Measuring::measure(const ComparedClip& clip) {
    m_background.run([this, id = clip.id, path = clip.path,
                      measurer = m_measurer](const std::stop_token& stop) -> BackgroundThread::Completion {
        ReadFacts read = readClipFacts(path, *measurer, stop);
        return [this, id, read = std::move(read)] {
            for (const QString& message : read.problems) Q_EMIT problem(message);
            m_comparison->setFacts(id, read.facts);
        };
    });
}

}  // namespace reelgrid::studio

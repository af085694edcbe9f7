#include "app/studio/measuring.h"

#include "app/studio/measurement_reader.h"

namespace reelgrid::studio {

Measuring::Measuring(Comparison* comparison, BackgroundThread* background, QObject* parent)
    : QObject(parent), m_comparison(comparison), m_background(background) {
    connect(m_comparison, &Comparison::clipArrived, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipAdded, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipRemoved, this, [this](int id) { m_measured.erase(id); });
}

void Measuring::lookForWork() {
    const ComparedClip* reference = m_comparison->reference();
    const std::filesystem::path referencePath = reference == nullptr ? "" : reference->path;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.onDisk || clip.status.failed) continue;
        const auto measured = m_measured.find(clip.id);
        if (measured != m_measured.end() && measured->second == referencePath) continue;
        m_measured[clip.id] = referencePath;
        measure(clip, referencePath);
    }
}

void Measuring::measure(const ComparedClip& clip, const std::filesystem::path& reference) {
    m_background->run([this, id = clip.id, path = clip.path,
                       reference](const std::stop_token& stop) -> BackgroundThread::Completion {
        ReadFacts read = readClipFacts(path, reference, stop);
        return [this, id, read = std::move(read)] {
            for (const QString& message : read.problems) Q_EMIT problem(message);
            m_comparison->setFacts(id, read.facts);
        };
    });
}

}  // namespace reelgrid::studio

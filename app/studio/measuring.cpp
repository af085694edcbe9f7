#include "app/studio/measuring.h"

#include "app/studio/measurement_reader.h"

namespace reelgrid::studio {

Measuring::Measuring(Comparison* comparison, BackgroundThread* background, QObject* parent)
    : QObject(parent), m_comparison(comparison), m_background(background) {
    connect(m_comparison, &Comparison::clipChanged, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipAdded, this, &Measuring::lookForWork);
    connect(m_comparison, &Comparison::clipRemoved, this, [this](int id) { m_measured.erase(id); });
}

void Measuring::lookForWork() {
    const ComparedClip* reference = m_comparison->reference();
    const std::filesystem::path referencePath = reference == nullptr ? "" : reference->path;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.onDisk || clip.failed) continue;
        const auto measured = m_measured.find(clip.id);
        if (measured != m_measured.end() && measured->second == referencePath) continue;
        m_measured[clip.id] = referencePath;
        measure(clip, referencePath);
    }
}

void Measuring::measure(const ComparedClip& clip, const std::filesystem::path& reference) {
    m_background->run([this, id = clip.id, path = clip.path,
                       reference](const std::stop_token& stop) -> BackgroundThread::Completion {
        ClipFacts facts = readClipFacts(path, reference, stop);
        return [this, id, facts = std::move(facts)] {
            for (const QString& message : facts.problems) Q_EMIT problem(message);
            m_comparison->change(id, [&](ComparedClip& compared) {
                // "fav2" becomes "fav2 (ran sdpa)"; a name that a person gave stays.
                if (compared.label == compared.backend && facts.label.startsWith(compared.backend))
                    compared.label = facts.label;
                compared.timing = facts.timing;
                compared.curves = facts.curves;
                if (compared.timing) {
                    compared.timing->name = compared.label;
                    compared.timing->color = compared.color;
                }
                if (compared.curves) {
                    compared.curves->name = compared.label;
                    compared.curves->color = compared.color;
                }
            });
        };
    });
}

}  // namespace reelgrid::studio

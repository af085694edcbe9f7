#include "app/studio/comparison.h"

#include <algorithm>
#include <utility>

#include "core/comparison/caption.h"
#include "core/protocol/attention_call.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

ComparedClip* Comparison::at(int id) {
    const auto found = std::ranges::find(m_clips, id, &ComparedClip::id);
    return found == m_clips.end() ? nullptr : &*found;
}

const ComparedClip* Comparison::find(int id) const {
    const auto found = std::ranges::find(m_clips, id, &ComparedClip::id);
    return found == m_clips.end() ? nullptr : &*found;
}

const ComparedClip* Comparison::reference() const {
    const auto found = std::ranges::find_if(m_clips, [](const ComparedClip& clip) {
        return clip.onDisk && clip.backend.toStdString() == protocol::kReferenceBackend;
    });
    return found == m_clips.end() ? nullptr : &*found;
}

int Comparison::add(ComparedClip clip) {
    clip.id = m_nextId++;
    if (clip.backend.isEmpty()) clip.backend = clip.label;
    if (clip.label.isEmpty()) clip.label = clip.backend;
    clip.color = widgets::backendColor(clip.backend);
    m_clips.push_back(std::move(clip));
    const int id = m_clips.back().id;
    Q_EMIT clipAdded(id);
    return id;
}

void Comparison::remove(int id) {
    if (std::erase_if(m_clips, [id](const ComparedClip& clip) { return clip.id == id; }) > 0)
        Q_EMIT clipRemoved(id);
}

void Comparison::clear() {
    while (!m_clips.empty()) remove(m_clips.back().id);
}

void Comparison::setStatus(int id, ClipStatus status) {
    ComparedClip* clip = at(id);
    if (clip == nullptr) return;
    clip->status = std::move(status);
    Q_EMIT statusChanged(id);
}

void Comparison::putOnDisk(int id, const std::filesystem::path& path) {
    ComparedClip* clip = at(id);
    if (clip == nullptr) return;
    clip->path = path;
    clip->onDisk = true;
    clip->status = {};
    Q_EMIT clipArrived(id);
}

void Comparison::setFacts(int id, ClipFacts facts) {
    ComparedClip* clip = at(id);
    if (clip == nullptr) return;
    // "fav2" becomes "fav2 (ran sdpa)"; a name that a person gave stays.
    const comparison::Caption caption = comparison::captionOf(facts.result.manifest);
    if (clip->label == clip->backend && clip->backend.toStdString() == caption.name)
        clip->label = QString::fromStdString(caption.text());
    clip->facts = std::move(facts);
    Q_EMIT factsChanged(id);
}

void Comparison::move(int id, int place) {
    const auto from = std::ranges::find(m_clips, id, &ComparedClip::id);
    if (from == m_clips.end()) return;
    const auto to = m_clips.begin() + std::clamp(place, 0, int(m_clips.size()) - 1);
    if (from == to) return;
    if (from < to)
        std::rotate(from, from + 1, to + 1);
    else
        std::rotate(to, from, from + 1);
    Q_EMIT orderChanged();
}

}  // namespace reelgrid::studio

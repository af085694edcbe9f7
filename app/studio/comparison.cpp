#include "app/studio/comparison.h"

#include <algorithm>
#include <utility>

#include "widgets/theme/theme.h"

namespace reelgrid::studio {

const ComparedClip* Comparison::find(int id) const {
    const auto found = std::ranges::find(m_clips, id, &ComparedClip::id);
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
    Q_EMIT changed();
    return id;
}

void Comparison::change(int id, const std::function<void(ComparedClip&)>& how) {
    const auto found = std::ranges::find(m_clips, id, &ComparedClip::id);
    if (found == m_clips.end()) return;
    how(*found);
    Q_EMIT clipChanged(id);
    Q_EMIT changed();
}

void Comparison::remove(int id) {
    if (std::erase_if(m_clips, [id](const ComparedClip& clip) { return clip.id == id; }) == 0) return;
    Q_EMIT clipRemoved(id);
    Q_EMIT changed();
}

void Comparison::clear() {
    while (!m_clips.empty()) {
        const int id = m_clips.back().id;
        m_clips.pop_back();
        Q_EMIT clipRemoved(id);
    }
    Q_EMIT changed();
}

const ComparedClip* Comparison::reference() const {
    const auto found = std::ranges::find_if(
        m_clips, [](const ComparedClip& clip) { return clip.onDisk && clip.backend == "sdpa"; });
    return found == m_clips.end() ? nullptr : &*found;
}

}  // namespace reelgrid::studio

#include "app/studio/comparison.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/printable.h"
#include "core/protocol/attention_call.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {
/// A label may come from anywhere: marks that turn its direction would make it read as another.
QString visible(const QString& label) {
    return QString::fromStdString(printable(label.toStdString()));
}
}  // namespace

comparison::Caption ComparedClip::caption() const {
    return facts ? comparison::captionOf(facts->result.manifest) : comparison::Caption();
}

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
        if (!clip.onDisk) return false;
        const comparison::Caption ran = clip.caption();
        return ran.name.empty() ? clip.backend.toStdString() == protocol::kReferenceBackend
                                : ran.isReference();
    });
    return found == m_clips.end() ? nullptr : &*found;
}

comparison::Rgb Comparison::colorOf(const ComparedClip& clip) const {
    std::vector<comparison::Rgb> others;
    for (const ComparedClip& each : m_clips)
        if (each.id != clip.id) others.push_back(each.pictureColor);
    return comparison::colorBeside(clip.backend.toStdString(), others);
}

int Comparison::add(ComparedClip clip) {
    clip.id = m_nextId++;
    if (clip.backend.isEmpty()) clip.backend = clip.label;
    if (clip.label.isEmpty()) clip.label = clip.backend;
    clip.label = visible(clip.label);
    clip.pictureColor = colorOf(clip);
    clip.color = widgets::onPanel(clip.pictureColor);
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

void Comparison::setPreview(int id, ClipPreview preview) {
    ComparedClip* clip = at(id);
    if (clip == nullptr || clip->onDisk) return;
    clip->preview = std::move(preview);
    Q_EMIT previewChanged(id);
}

void Comparison::putOnDisk(int id, const std::filesystem::path& path) {
    ComparedClip* clip = at(id);
    if (clip == nullptr) return;
    clip->path = path;
    clip->onDisk = true;
    clip->status = {};
    clip->preview = {};
    Q_EMIT clipArrived(id);
}

void Comparison::setFacts(int id, ClipFacts facts) {
    ComparedClip* clip = at(id);
    if (clip == nullptr) return;
    clip->facts = std::move(facts);
    const QString before = clip->backend;
    if (const comparison::Caption ran = clip->caption(); !ran.name.empty())
        clip->backend = QString::fromStdString(ran.name);
    if (clip->backend != before) {
        clip->pictureColor = colorOf(*clip);
        clip->color = widgets::onPanel(clip->pictureColor);
    }
    setLabel(id, clip->label);
}

void Comparison::setLabel(int id, const QString& label) {
    ComparedClip* clip = at(id);
    if (clip == nullptr) return;
    clip->label = label.isEmpty() ? clip->backend : visible(label);
    // "fav2" becomes "fav2 (ran sdpa)"; a name that a person gave stays, unless it is another backend's.
    if (const comparison::Caption ran = clip->caption(); !ran.name.empty())
        clip->label = QString::fromStdString(ran.labelled(clip->label.toStdString()));
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

void Comparison::recolor() {
    for (ComparedClip& clip : m_clips) clip.color = widgets::onPanel(clip.pictureColor);
    for (const ComparedClip& clip : std::vector(m_clips)) Q_EMIT factsChanged(clip.id);
}

}  // namespace reelgrid::studio

#include "app/studio/blind_clips.h"

#include <QObject>
#include <algorithm>

#include "app/studio/clip_hashes.h"
#include "app/studio/shown_session.h"

namespace reelgrid::studio {

using session::BlindVote;

std::vector<std::filesystem::path> ShownBlindClips::candidates() const {
    std::vector<std::filesystem::path> clips;
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk && !clip.status.failed && std::ranges::find(clips, clip.path) == clips.end())
            clips.push_back(clip.path);
    return clips;
}

std::optional<std::pair<std::filesystem::path, std::filesystem::path>> ShownBlindClips::next(
    std::mt19937& chance) const {
    const auto clips = candidates();
    if (clips.size() < 2) return std::nullopt;
    return comparison::nextBlindPair(clips, seen().counted, chance);
}

comparison::SeenVotes ShownBlindClips::seen() const {
    return comparison::seenVotes(comparison::votesAbout(candidates(), votes()), clipHasher());
}

const std::vector<BlindVote>& ShownBlindClips::votes() const {
    return m_shown->blindVotes();
}

void ShownBlindClips::setVotes(std::vector<BlindVote> votes) {
    m_shown->setBlindVotes(std::move(votes));
}

std::vector<BlindResult> ShownBlindClips::results() const {
    std::vector<BlindResult> results;
    for (const auto& standing : comparison::blindStandings(candidates(), seen().counted)) {
        const auto clip = std::ranges::find(m_comparison->clips(), standing.clip, &ComparedClip::path);
        results.push_back({clip->label, clip->color, standing});
    }
    return results;
}

int ShownBlindClips::votesOfOthers() const {
    return seen().ofOthers;
}

QString ShownBlindClips::heading() const {
    return QObject::tr("clip");
}

}  // namespace reelgrid::studio

#include "app/studio/blind_test.h"

#include <algorithm>

#include "app/studio/blind_test_view.h"
#include "app/studio/clip_hashes.h"
#include "app/studio/shown_session.h"

namespace reelgrid::studio {

using session::BlindVote;

BlindTest::BlindTest(Comparison* comparison, ShownSession* shown, BlindTestView* view, QObject* parent)
    : QObject(parent),
      m_shown(std::make_shared<ShownBlindClips>(comparison, shown)),
      m_clips(m_shown),
      m_view(view) {
    connect(m_view, &BlindTestView::answered, this, &BlindTest::vote);
    connect(m_view, &BlindTestView::takeBackRequested, this, &BlindTest::takeBack);
    connect(m_view, &BlindTestView::endRequested, this, &BlindTest::end);
    connect(comparison, &Comparison::clipRemoved, this, [this] {
        if (m_running && m_clips == m_shown) end();
    });
}

bool BlindTest::start() {
    return start(m_shown);
}

bool BlindTest::start(std::shared_ptr<BlindClips> clips) {
    if (!clips->next(m_chance)) return false;
    m_clips = std::move(clips);
    m_running = true;
    showNext();
    return true;
}

void BlindTest::end() {
    if (!m_running) return;
    m_running = false;
    m_view->clear();
    Q_EMIT ended();
}

int votesIn(const std::vector<BlindResult>& results) {
    int votes = 0;
    for (const BlindResult& result : results) votes += result.standing.votes;
    return votes / 2;
}

int BlindTest::voteCount() const {
    return votesIn(m_clips->results());
}

void BlindTest::showNext() {
    const auto pair = m_clips->next(m_chance);
    if (!pair) return end();
    m_shownPair = {pair->first, pair->second};
    // One that can't be read can't be shown, and gets no vote.
    if (const auto hash = clipHasher().hashFile(pair->first)) m_shownPair.firstSha256 = hash->sha256;
    if (const auto hash = clipHasher().hashFile(pair->second)) m_shownPair.secondSha256 = hash->sha256;
    m_votesShown = m_clips->votes().size();
    const auto results = m_clips->results();
    int needed = 0;
    for (const BlindResult& result : results) needed = std::max(needed, result.standing.stillNeeded());
    m_view->showProgress(tr("%n vote(s).", nullptr, votesIn(results)) + ' ' +
                         tr("As they stand, the least certain backend needs %n more.", nullptr, needed));
    m_view->showPair(pair->first, pair->second);
}

void BlindTest::vote(session::Preference preference) {
    if (!m_running) return;
    std::vector<BlindVote> votes = m_clips->votes();
    votes.push_back(m_shownPair);
    votes.back().preference = preference;
    m_clips->setVotes(std::move(votes));
    showNext();
    Q_EMIT votesChanged();
}

void BlindTest::takeBack() {
    std::vector<BlindVote> votes = m_clips->votes();
    if (!m_running || votes.empty()) return;
    votes.pop_back();
    m_clips->setVotes(std::move(votes));
    showNext();
    Q_EMIT votesChanged();
}

void BlindTest::forgetVotes() {
    m_shown->setVotes({});
    if (m_running) showNext();
    Q_EMIT votesChanged();
}

void BlindTest::follow() {
    if (!m_running) return;
    if (m_clips == m_shown && !m_clips->next(m_chance)) return end();
    if (m_clips->votes().size() != m_votesShown) showNext();
}

}  // namespace reelgrid::studio

#include "app/studio/blind_test.h"

#include <algorithm>

#include "app/studio/blind_test_view.h"
#include "app/studio/shown_session.h"

namespace reelgrid::studio {

using session::BlindVote;

BlindTest::BlindTest(Comparison* comparison, ShownSession* shown, BlindTestView* view, QObject* parent)
    : QObject(parent), m_comparison(comparison), m_shown(shown), m_view(view) {
    connect(m_view, &BlindTestView::answered, this, &BlindTest::vote);
    connect(m_view, &BlindTestView::takeBackRequested, this, &BlindTest::takeBack);
    connect(m_view, &BlindTestView::endRequested, this, &BlindTest::end);
    connect(m_comparison, &Comparison::clipRemoved, this, [this] {
        if (m_running) end();
    });
}

std::vector<std::filesystem::path> BlindTest::candidates() const {
    std::vector<std::filesystem::path> clips;
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk && !clip.status.failed && std::ranges::find(clips, clip.path) == clips.end())
            clips.push_back(clip.path);
    return clips;
}

bool BlindTest::start() {
    if (candidates().size() < 2) return false;
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

std::vector<comparison::BlindStanding> BlindTest::standings() const {
    return comparison::blindStandings(candidates(), m_shown->blindVotes());
}

int BlindTest::voteCount() const {
    int votes = 0;
    for (const auto& standing : standings()) votes += standing.votes;
    return votes / 2;
}

void BlindTest::showNext() {
    const auto& votes = m_shown->blindVotes();
    m_pair = comparison::nextBlindPair(candidates(), votes, m_chance);
    m_votesShown = votes.size();
    int needed = 0;
    for (const auto& standing : standings()) needed = std::max(needed, standing.stillNeeded());
    m_view->showProgress(tr("%n vote(s).", nullptr, voteCount()) + ' ' +
                         tr("As they stand, the least certain backend needs %n more.", nullptr, needed));
    m_view->showPair(m_pair.first, m_pair.second);
}

void BlindTest::vote(session::Preference preference) {
    if (!m_running) return;
    std::vector<BlindVote> votes = m_shown->blindVotes();
    votes.push_back({m_pair.first, m_pair.second, preference});
    m_shown->setBlindVotes(std::move(votes));
    showNext();
    Q_EMIT votesChanged();
}

void BlindTest::takeBack() {
    std::vector<BlindVote> votes = m_shown->blindVotes();
    if (!m_running || votes.empty()) return;
    votes.pop_back();
    m_shown->setBlindVotes(std::move(votes));
    showNext();
    Q_EMIT votesChanged();
}

void BlindTest::forgetVotes() {
    m_shown->setBlindVotes({});
    if (m_running) showNext();
    Q_EMIT votesChanged();
}

void BlindTest::follow() {
    if (!m_running) return;
    if (candidates().size() < 2) return end();
    if (m_shown->blindVotes().size() != m_votesShown) showNext();
}

}  // namespace reelgrid::studio

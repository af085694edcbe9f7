#include "app/studio/suite/suite_blind_clips.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/studio/clip_hashes.h"
#include "app/studio/suite/suite_table.h"
#include "core/suite/row_check.h"
#include "core/suite/suite_votes.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

void SuiteVotes::follow(const std::vector<session::BlindVote>& inFile) {
    const suite::VoteChange others = suite::changeBetween(votes, inFile);
    for (const session::BlindVote& vote : others.withdrawn) votes.erase(std::ranges::find(votes, vote));
    votes.insert(votes.begin(), others.added.begin(), others.added.end());
}

SuiteBlindClips::SuiteBlindClips(std::shared_ptr<const suite::SuiteResult> suite, std::size_t axis,
                                 std::shared_ptr<SuiteVotes> votes)
    : m_suite(std::move(suite)), m_axis(axis), m_votes(std::move(votes)) {}

std::optional<std::pair<std::filesystem::path, std::filesystem::path>> SuiteBlindClips::next(
    std::mt19937& chance) const {
    // A clip that lies in another one's place now is not shown: a vote would be about the wrong values.
    std::shared_ptr<const suite::SuiteResult> suite = m_suite;
    const std::vector<session::BlindVote> votes = seen().counted;
    while (const auto pair = suite::nextSuitePair(*suite, m_axis, votes, chance)) {
        std::shared_ptr<suite::SuiteResult> without;
        for (const std::size_t row : {pair->first, pair->second}) {
            const std::string other = suite::otherThanAsked(*suite, suite->rows[row]);
            if (other.empty()) continue;
            if (without == nullptr) without = std::make_shared<suite::SuiteResult>(*suite);
            without->rows[row].error = Error{ErrorCode::InvalidData, other};
        }
        if (without == nullptr)
            return std::pair(suite->rows[pair->first].clip, suite->rows[pair->second].clip);
        suite = std::move(without);
    }
    return std::nullopt;
}

void SuiteBlindClips::setVotes(std::vector<session::BlindVote> votes) {
    const suite::VoteChange change = suite::changeBetween(m_votes->votes, votes);
    m_votes->votes = std::move(votes);
    m_votes->changed(m_votes, change);
}

std::vector<BlindResult> SuiteBlindClips::results() const {
    const bool ofBackends = m_suite->plan.axes[m_axis].key == suite::kBackendAxis;
    std::vector<BlindResult> results;
    for (const auto& standing : suite::standingsOf(*m_suite, m_axis, seen().counted)) {
        const QString name = widgets::text(standing.clip.string());
        results.push_back(
            {name, ofBackends ? widgets::backendColor(name) : widgets::theme::kAccent, standing});
    }
    return results;
}

comparison::SeenVotes SuiteBlindClips::seen() const {
    return comparison::seenVotes(suite::votesOn(*m_suite, m_axis, m_votes->votes), clipHasher());
}

int SuiteBlindClips::votesOfOthers() const {
    return seen().ofOthers;
}

QString SuiteBlindClips::heading() const {
    return axisTitle(m_suite->plan.axes[m_axis].key);
}

}  // namespace reelgrid::studio

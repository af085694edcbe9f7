#include "core/suite/kept_votes.h"

#include <algorithm>
#include <string>

#include "core/result/writer_lock.h"
#include "core/session/known_files.h"
#include "core/suite/suite_votes.h"

namespace reelgrid::suite {
namespace {

using session::BlindVote;

/// Whether a vote in a file is this one, of which the file may say by now which clips were seen.
bool isSame(const BlindVote& inFile, const BlindVote& vote) {
    const auto agree = [](const std::string& kept, const std::string& known) {
        return known.empty() || known == kept;
    };
    return inFile.first == vote.first && inFile.second == vote.second &&
           inFile.preference == vote.preference && agree(inFile.firstSha256, vote.firstSha256) &&
           agree(inFile.secondSha256, vote.secondSha256);
}

/// Takes the vote away once; false where it isn't there.
bool withdraw(std::vector<BlindVote>& votes, const BlindVote& vote) {
    auto found = std::ranges::find(votes, vote);
    if (found == votes.end())
        found = std::ranges::find_if(votes, [&](const BlindVote& each) { return isSame(each, vote); });
    if (found == votes.end()) return false;
    votes.erase(found);
    return true;
}

}  // namespace

VoteChange changeBetween(const std::vector<BlindVote>& before, const std::vector<BlindVote>& now) {
    return {session::votesSince(before, now), session::votesSince(now, before)};
}

Result<std::vector<BlindVote>> KeptVotes::change(const VoteChange& change) {
    for (const BlindVote& vote : change.withdrawn)
        if (!withdraw(m_waiting.added, vote)) m_waiting.withdrawn.push_back(vote);
    m_waiting.added.insert(m_waiting.added.end(), change.added.begin(), change.added.end());

    const auto lock = result::WriterLock::acquire(m_file);
    if (!lock) return lock.error();
    const auto before = readVotes(m_file);
    if (!before)
        return Error{before.error().code, before.error().message + "; votes are not written over it"};
    std::vector<BlindVote> now = *before;
    // One that is gone was withdrawn by somebody else, too.
    for (const BlindVote& vote : m_waiting.withdrawn) withdraw(now, vote);
    now.insert(now.end(), m_waiting.added.begin(), m_waiting.added.end());
    if (now != *before)
        if (auto saved = saveVotes(now, m_file); !saved) return saved.error();
    m_waiting = {};
    return now;
}

}  // namespace reelgrid::suite

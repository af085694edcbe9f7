#include "core/comparison/seen_votes.h"

#include <map>
#include <set>
#include <string>

namespace reelgrid::comparison {

namespace {

namespace fs = std::filesystem;
using session::BlindVote;

/// What lies at paths, each asked for once.
class ClipsNow {
  public:
    explicit ClipsNow(result::ComponentHasher& hasher) : m_hasher(hasher) {}
    bool isAnother(const fs::path& clip, const std::string& seen) {
        if (seen.empty()) return false;
        auto found = m_hashes.find(clip);
        if (found == m_hashes.end()) {
            const auto hash = m_hasher.hashFile(clip);
            found = m_hashes.emplace(clip, hash ? hash->sha256 : std::string()).first;
        }
        return !found->second.empty() && found->second != seen;
    }

  private:
    result::ComponentHasher& m_hasher;
    std::map<fs::path, std::string> m_hashes;  // empty: it can't be read
};

}  // namespace

SeenVotes seenVotes(const std::vector<BlindVote>& votes, result::ComponentHasher& hasher) {
    ClipsNow now(hasher);
    SeenVotes seen;
    for (const BlindVote& vote : votes)
        if (now.isAnother(vote.first, vote.firstSha256) || now.isAnother(vote.second, vote.secondSha256))
            ++seen.ofOthers;
        else
            seen.counted.push_back(vote);
    return seen;
}

std::vector<BlindVote> votesAbout(const std::vector<fs::path>& clips, const std::vector<BlindVote>& votes) {
    const std::set<fs::path> known(clips.begin(), clips.end());
    std::vector<BlindVote> about;
    for (const BlindVote& vote : votes)
        if (known.contains(vote.first) && known.contains(vote.second)) about.push_back(vote);
    return about;
}

}  // namespace reelgrid::comparison

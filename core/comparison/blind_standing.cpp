#include "core/comparison/blind_standing.h"

#include <algorithm>
#include <cmath>

namespace reelgrid::comparison {

namespace {

namespace fs = std::filesystem;
using session::BlindVote;
using session::Preference;

constexpr double kZ = 1.959963984540054;  // 95 %, two-sided
constexpr double kNarrow = 0.2;
constexpr double kRounding = 1e-9;

bool isAbout(const BlindVote& vote, const fs::path& a, const fs::path& b) {
    return (vote.first == a && vote.second == b) || (vote.first == b && vote.second == a);
}

}  // namespace

ShareInterval wilsonInterval(double successes, double trials) {
    if (trials <= 0) return {};
    const double share = successes / trials;
    const double scale = 1 + kZ * kZ / trials;
    const double middle = (share + kZ * kZ / (2 * trials)) / scale;
    const double half =
        kZ / scale * std::sqrt(share * (1 - share) / trials + kZ * kZ / (4 * trials * trials));
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

int votesStillNeeded(double successes, double trials) {
    const double share = trials > 0 ? successes / trials : 0.5;
    // An even outcome takes 93, the most of all: the interval is widest there.
    for (int more = 0;; ++more) {
        const double all = trials + more;
        if (all <= 0) continue;
        const ShareInterval interval = wilsonInterval(share * all, all);
        const bool decided = interval.low > 0.5 || interval.high < 0.5;
        if (decided || interval.high - interval.low <= kNarrow + kRounding) return more;
    }
}

std::vector<BlindStanding> blindStandings(const std::vector<fs::path>& clips,
                                          const std::vector<BlindVote>& votes) {
    std::vector<BlindStanding> standings;
    for (const fs::path& clip : clips) standings.push_back({.clip = clip});
    for (const BlindVote& vote : votes) {
        const auto first = std::ranges::find(standings, vote.first, &BlindStanding::clip);
        const auto second = std::ranges::find(standings, vote.second, &BlindStanding::clip);
        if (first == standings.end() || second == standings.end() || first == second) continue;
        for (const auto& each : {first, second}) {
            ++each->votes;
            if (vote.preference == Preference::Neither) ++each->undecided;
        }
        if (vote.preference == Preference::First) ++first->preferred;
        if (vote.preference == Preference::Second) ++second->preferred;
    }
    return standings;
}

std::pair<fs::path, fs::path> nextBlindPair(const std::vector<fs::path>& clips,
                                            const std::vector<BlindVote>& votes, std::mt19937& chance) {
    struct Pair {
        std::size_t a, b;
        std::ptrdiff_t votes;
    };
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < clips.size(); ++a)
        for (std::size_t b = a + 1; b < clips.size(); ++b)
            pairs.push_back({a, b, std::ranges::count_if(votes, [&](const BlindVote& vote) {
                                 return isAbout(vote, clips[a], clips[b]);
                             })});
    if (pairs.size() > 1 && !votes.empty())
        std::erase_if(pairs,
                      [&](const Pair& pair) { return isAbout(votes.back(), clips[pair.a], clips[pair.b]); });
    const auto fewest = std::ranges::min_element(pairs, {}, &Pair::votes)->votes;
    std::erase_if(pairs, [&](const Pair& pair) { return pair.votes != fewest; });
    const Pair& chosen = pairs[std::uniform_int_distribution<std::size_t>(0, pairs.size() - 1)(chance)];
    const bool swapped = std::bernoulli_distribution(0.5)(chance);
    const fs::path& a = clips[chosen.a];
    const fs::path& b = clips[chosen.b];
    return swapped ? std::pair(b, a) : std::pair(a, b);
}

}  // namespace reelgrid::comparison

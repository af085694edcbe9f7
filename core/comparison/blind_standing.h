#pragma once

#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "core/session/blind_vote.h"

namespace reelgrid::comparison {

/// A share between 0 and 1.
struct ShareInterval {
    double low = 0;
    double high = 1;
};

/// Wilson's 95 % interval of a binomial share; all of [0, 1] without trials.
ShareInterval wilsonInterval(double successes, double trials);

/// How many more votes it takes, should they go on as they went, until the interval leaves one half out (a
/// preference) or is at most 0.2 wide around it (none that matters). Without votes: as for an even outcome.
int votesStillNeeded(double successes, double trials);

/// How one clip did in the blind test, against all others it was shown beside.
struct BlindStanding {
    std::filesystem::path clip;
    int votes = 0;
    int preferred = 0;
    int undecided = 0;  ///< "no difference": half a preference for each of the two
    [[nodiscard]] double score() const { return preferred + 0.5 * undecided; }
    [[nodiscard]] ShareInterval interval() const { return wilsonInterval(score(), votes); }
    [[nodiscard]] int stillNeeded() const { return votesStillNeeded(score(), votes); }
};

/// One of each clip, in their order. Votes about other clips don't count.
std::vector<BlindStanding> blindStandings(const std::vector<std::filesystem::path>& clips,
                                          const std::vector<session::BlindVote>& votes);

/// The two clips to be shown next, the first one on the left: of the pairs with the fewest votes one by
/// chance, not the last one again where there is another, and the sides by chance. Needs two clips.
std::pair<std::filesystem::path, std::filesystem::path> nextBlindPair(
    const std::vector<std::filesystem::path>& clips, const std::vector<session::BlindVote>& votes,
    std::mt19937& chance);

}  // namespace reelgrid::comparison

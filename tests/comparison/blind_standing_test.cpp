#include "core/comparison/blind_standing.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace reelgrid::comparison {
namespace {

using session::BlindVote;
using session::Preference;

// Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score, no continuity correction).
TEST(WilsonInterval, IsAsPublished) {
    struct Published {
        double successes, trials, low, high;
    };
    for (const auto& [successes, trials, low, high] :
         {Published{81, 263, 0.2553, 0.3662}, Published{15, 148, 0.0624, 0.1605}, Published{0, 20, 0, 0.1611},
          Published{1, 29, 0.0061, 0.1718}}) {
        const ShareInterval interval = wilsonInterval(successes, trials);
        EXPECT_NEAR(interval.low, low, 5e-5) << successes << " of " << trials;
        EXPECT_NEAR(interval.high, high, 5e-5) << successes << " of " << trials;
    }
    EXPECT_EQ(wilsonInterval(0, 0).low, 0);
    EXPECT_EQ(wilsonInterval(0, 0).high, 1);
}

TEST(VotesStillNeeded, AreThoseUntilTheIntervalDecides) {
    // 4 of 4: [0.51, 1].
    EXPECT_EQ(votesStillNeeded(4, 4), 0);
    EXPECT_EQ(votesStillNeeded(1, 1), 3);
    const int even = votesStillNeeded(0, 0);
    const ShareInterval then = wilsonInterval(even / 2.0, even);
    const ShareInterval before = wilsonInterval((even - 1) / 2.0, even - 1);
    EXPECT_LE(then.high - then.low, 0.2 + 1e-9);
    EXPECT_GT(before.high - before.low, 0.2);
    EXPECT_EQ(votesStillNeeded(46.5, 93) + 93, even);
}

TEST(BlindStandings, CountATieHalfForBoth) {
    const std::vector<std::filesystem::path> clips{"/a", "/b", "/c"};
    const std::vector<BlindVote> votes{{"/a", "/b", Preference::First},
                                       {"/b", "/a", Preference::Second},
                                       {"/a", "/c", Preference::Neither},
                                       {"/a", "/gone", Preference::First}};
    const auto standings = blindStandings(clips, votes);
    ASSERT_EQ(standings.size(), 3U);
    EXPECT_EQ(standings[0].votes, 3);
    EXPECT_EQ(standings[0].preferred, 2);
    EXPECT_EQ(standings[0].score(), 2.5);
    EXPECT_EQ(standings[1].score(), 0);
    EXPECT_EQ(standings[1].votes, 2);
    EXPECT_EQ(standings[2].undecided, 1);
}

TEST(NextBlindPair, ShowsEveryPairEquallyOftenOnBothSides) {
    const std::vector<std::filesystem::path> clips{"/a", "/b", "/c", "/d"};
    std::mt19937 chance(7);
    std::vector<BlindVote> votes;
    std::map<std::set<std::filesystem::path>, int> shown;
    std::map<std::filesystem::path, int> onTheLeft;
    for (int i = 0; i < 600; ++i) {
        const auto [first, second] = nextBlindPair(clips, votes, chance);
        ASSERT_NE(first, second);
        if (!votes.empty()) {
            ASSERT_NE((std::set{first, second}), (std::set{votes.back().first, votes.back().second}));
        }
        ++shown[{first, second}];
        ++onTheLeft[first];
        votes.push_back({first, second, Preference::Neither});
    }
    ASSERT_EQ(shown.size(), 6U);
    for (const auto& [pair, times] : shown) EXPECT_NEAR(times, 100, 1);
    // 300 showings each; six standard deviations.
    for (const auto& [clip, times] : onTheLeft) EXPECT_NEAR(times, 150, 52);
}

}  // namespace
}  // namespace reelgrid::comparison

#include "core/tune/search.h"

#include <gmock/gmock.h>

#include <random>

namespace reelgrid::tune {
namespace {

SiteCosts costsOf(int layers, int steps, std::vector<BackendCosts> backends) {
    return {.layers = layers, .steps = steps, .backends = std::move(backends)};
}

/// The best of all assignments there are.
std::optional<Candidate> byBruteForce(const SiteCosts& costs, double mostError) {
    const int backends = int(costs.backends.size());
    std::optional<Candidate> best;
    Assignment assignment(costs.sites(), 0);
    for (bool more = true; more;) {
        Candidate candidate = predicted(costs, assignment);
        if (candidate.error <= mostError && (!best || candidate.seconds < best->seconds)) best = candidate;
        more = false;
        for (int& place : assignment) {
            place = (place + 1) % backends;
            if (place != 0) {
                more = true;
                break;
            }
        }
    }
    return best;
}

TEST(Search, SpendsTheBudgetWhereItSavesMost) {
    // "fast" saves a second everywhere; its error is small in sites 1 and 2.
    const SiteCosts costs =
        costsOf(2, 2, {{"exact", {2, 2, 2, 2}, {0, 0, 0, 0}}, {"fast", {1, 1, 1, 1}, {5, 1, 2, 9}}});
    const auto found = fastestWithin(costs, {}, 3.5);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->assignment, (Assignment{0, 1, 1, 0}));
    EXPECT_DOUBLE_EQ(found->seconds, 6);
    EXPECT_DOUBLE_EQ(found->error, 3);
}

TEST(Search, LeavesOutBackendsThatNeverPay) {
    // "middle" lies above the line from "exact" to "fast", "bad" is slower and worse than "fast".
    const SiteCosts costs =
        costsOf(1, 1, {{"exact", {10}, {0}}, {"middle", {9}, {5}}, {"fast", {2}, {6}}, {"bad", {3}, {7}}});
    EXPECT_EQ(paretoCurve(costs, {}).size(), 2u);
    EXPECT_EQ(fastestWithin(costs, {}, 100)->assignment, Assignment{2});
    EXPECT_EQ(fastestWithin(costs, {}, 5.5)->assignment, Assignment{0});
}

TEST(Search, PaysForRoundingOnceAndNotAtAllForTheReference) {
    SiteCosts costs =
        costsOf(1, 2, {{"sdpa", {3, 3}, {0, 0}}, {"fav2", {2, 2}, {0, 0}}, {"sage", {1, 1}, {4, 4}}});
    costs.floor = 1;
    costs.reference = 0;
    EXPECT_EQ(fastestWithin(costs, {}, 0.5)->assignment, (Assignment{0, 0})) << "no room for rounding";
    EXPECT_EQ(fastestWithin(costs, {}, 0.5)->error, 0);
    EXPECT_EQ(fastestWithin(costs, {}, 1)->assignment, (Assignment{1, 1}));
    EXPECT_DOUBLE_EQ(fastestWithin(costs, {}, 1)->error, 1);
    EXPECT_DOUBLE_EQ(fastestWithin(costs, {}, 5)->seconds, 3) << "one of the two with sage";
    EXPECT_DOUBLE_EQ(fastestWithin(costs, {}, 9)->seconds, 2);
}

TEST(Search, FindsNothingWhereEvenTheMostExactIsTooFarOff) {
    const SiteCosts costs = costsOf(1, 1, {{"a", {1}, {2}}, {"b", {2}, {1}}});
    EXPECT_FALSE(fastestWithin(costs, {}, 0.5));
    EXPECT_TRUE(fastestWithin(costs, {}, 1));
}

TEST(Search, NeverTakesABackendWhereItCannotRun) {
    const double never = std::numeric_limits<double>::infinity();
    const SiteCosts costs = costsOf(2, 1, {{"exact", {3, 3}, {0, 0}}, {"fast", {1, 1}, {never, 1}}});
    EXPECT_EQ(fastestWithin(costs, {}, 1000)->assignment, (Assignment{0, 1}));
    const SiteCosts none = costsOf(2, 1, {{"fast", {1, 1}, {never, 1}}});
    EXPECT_FALSE(fastestWithin(none, {}, 1000));
    EXPECT_TRUE(paretoCurve(none, {}).empty());
}

TEST(Search, IsWithinOneExchangeOfTheBestThereIs) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int trial = 0; trial < 60; ++trial) {
        // 3 × 2 sites, 3 backends: 729 assignments.
        SiteCosts costs = costsOf(3, 2, {});
        for (const auto& [name, speed, damage] :
             {std::tuple{"exact", 3.0, 0.0}, {"middle", 2.0, 0.3}, {"fast", 1.0, 1.0}}) {
            BackendCosts& own = costs.backends.emplace_back(BackendCosts{name, {}, {}});
            for (std::size_t site = 0; site < costs.sites(); ++site) {
                own.seconds.push_back(speed * (0.5 + uniform(random)));
                own.error.push_back(damage * uniform(random));
            }
        }
        costs.reference = 0;
        costs.floor = 0.05;
        double largestExchange = 0;
        for (std::size_t site = 0; site < costs.sites(); ++site)
            for (const BackendCosts& a : costs.backends)
                for (const BackendCosts& b : costs.backends)
                    largestExchange = std::max(largestExchange, a.seconds[site] - b.seconds[site]);
        for (const double mostError : {0.01, 0.3, 1.0, 2.5, 10.0}) {
            const auto best = byBruteForce(costs, mostError);
            const auto found = fastestWithin(costs, {}, mostError);
            ASSERT_EQ(found.has_value(), best.has_value());
            EXPECT_LE(found->error, mostError);
            EXPECT_GE(found->seconds, best->seconds - 1e-12);
            EXPECT_LE(found->seconds, best->seconds + largestExchange);
            if (mostError != 10.0) continue;
            EXPECT_DOUBLE_EQ(found->seconds, best->seconds) << "no budget binds";
        }
    }
}

TEST(Search, EveryPointOfTheCurveIsTheFastestForItsError) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0.1, 1);
    SiteCosts costs = costsOf(2, 3, {});
    for (const auto& [name, speed, damage] :
         {std::tuple{"exact", 3.0, 0.0}, {"middle", 2.0, 0.3}, {"fast", 1.0, 1.0}}) {
        BackendCosts& own = costs.backends.emplace_back(BackendCosts{name, {}, {}});
        for (std::size_t site = 0; site < costs.sites(); ++site) {
            own.seconds.push_back(speed * uniform(random));
            own.error.push_back(damage * uniform(random));
        }
    }
    const auto curve = paretoCurve(costs, {});
    ASSERT_GT(curve.size(), 3u);
    for (std::size_t i = 0; i < curve.size(); ++i) {
        EXPECT_NEAR(byBruteForce(costs, curve[i].error + 1e-12)->seconds, curve[i].seconds, 1e-9);
        if (i == 0) continue;
        EXPECT_LT(curve[i].seconds, curve[i - 1].seconds);
        EXPECT_GE(curve[i].error, curve[i - 1].error);
    }
}

TEST(Search, DecidesBlocksTogetherWhereThereAreManySites) {
    EXPECT_EQ(blockSizeFor(8, 20, 240).layers, 1);
    EXPECT_EQ(blockSizeFor(8, 20, 240).steps, 1);
    const BlockSize large = blockSizeFor(40, 50, 240);
    EXPECT_LE(((40 + large.layers - 1) / large.layers) * ((50 + large.steps - 1) / large.steps), 240);
    EXPECT_EQ(large.layers * large.steps, 9) << "3 × 3: 14 × 17 blocks";

    const SiteCosts costs = costsOf(3, 3,
                                    {{"exact", std::vector<double>(9, 2), std::vector<double>(9, 0)},
                                     {"fast", std::vector<double>(9, 1), std::vector<double>(9, 1)}});
    const auto found = fastestWithin(costs, {2, 2}, 4);
    ASSERT_TRUE(found);
    const Assignment& a = found->assignment;
    EXPECT_EQ(a[0], a[1]);
    EXPECT_EQ(a[0], a[3]);
    EXPECT_EQ(a[0], a[4]);
    EXPECT_EQ(a[2], a[5]);
    EXPECT_EQ(a[6], a[7]);
}

}  // namespace
}  // namespace reelgrid::tune

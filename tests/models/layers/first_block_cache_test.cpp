#include "core/models/layers/first_block_cache.h"

#include <gmock/gmock.h>

#include "core/base/result.h"

namespace reelgrid::models {
namespace {

using testing::HasSubstr;

at::Tensor tokens(const std::vector<double>& values) {
    return at::tensor(values, at::kFloat).view({1, 1, -1});
}

double largestGap(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

TEST(FirstBlockCache, AddsUpTheChangesOfThePassesThatAreSkippedInARow) {
    FirstBlockCache cache(0.75);
    EXPECT_FALSE(cache.isClose(tokens({1, 3}))) << "nothing is kept";
    cache.keep(tokens({1, 3}), tokens({5, 5}));
    EXPECT_TRUE(cache.isClose(tokens({1, 4}))) << "1/4";
    EXPECT_TRUE(cache.isClose(tokens({2, 2}))) << "1/4 and 1/2";
    EXPECT_FALSE(cache.isClose(tokens({1, 3.5}))) << "and 1/8";
    EXPECT_TRUE(cache.isClose(tokens({1, 3}))) << "a pass that isn't skipped adds nothing";
    cache.keep(tokens({1, 3}), tokens({5, 5}));
    EXPECT_TRUE(cache.isClose(tokens({1, 6}))) << "3/4, from nothing again";
}

TEST(FirstBlockCache, GuessesThatOthersGoOnAsTheFirstBlockDoes) {
    FirstBlockCache cache(1);
    cache.keep(tokens({1, 1}), tokens({10, 20}));
    EXPECT_EQ(largestGap(cache.others(tokens({9, 9})), tokens({10, 20})), 0) << "after one pass as it was";
    cache.keep(tokens({3, 1}), tokens({14, 10}));
    const auto expect = [&](const std::vector<double>& first, const std::vector<double>& others) {
        EXPECT_LE(largestGap(cache.others(tokens(first)), tokens(others)), 1e-5)
            << tokens(first) << cache.others(tokens(first));
    };
    expect({3, 1}, {14, 10});
    expect({4, 1}, {16, 5});
    expect({4, 8}, {16, 5});     // what is across that direction says nothing
    expect({1, 1}, {14, 10});    // not back
    expect({99, 1}, {30, -30});  // four times as far at the most
    cache.keep(tokens({3, 1}), tokens({15, 11}));
    expect({7, 7}, {15, 11});  // a first block that stood still has no direction
}

TEST(FirstBlockCache, KeepsAllThatALaterProcessNeeds) {
    FirstBlockCache cache(0.75), later(0.75);
    std::map<std::string, at::Tensor> saved;
    cache.save("a.", saved);
    EXPECT_TRUE(saved.empty());
    cache.keep(tokens({1, 1}), tokens({10, 20}));
    cache.keep(tokens({3, 1}), tokens({14, 10}));
    ASSERT_TRUE(cache.isClose(tokens({5, 1})));
    cache.save("a.", saved);
    later.restore("b.", saved, at::kCPU);
    EXPECT_FALSE(later.isClose(tokens({3, 1}))) << "another's";
    later.restore("a.", saved, at::kCPU);
    EXPECT_TRUE(at::equal(later.others(tokens({4, 2})), cache.others(tokens({4, 2}))));
    EXPECT_FALSE(later.isClose(tokens({5, 1}))) << "half was changed before, half is now";
    EXPECT_TRUE(later.isClose(tokens({4, 1})));
}

TEST(FirstBlockCache, RefusesWhatAnOlderVersionKept) {
    FirstBlockCache cache(0.75);
    try {
        cache.restore("a.", {{"a.first", tokens({1, 1})}, {"a.others", tokens({1, 1})}}, at::kCPU);
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::InvalidData);
        EXPECT_THAT(failure.error().message, HasSubstr("no \"a.changes\""));
    }
}

}  // namespace
}  // namespace reelgrid::models

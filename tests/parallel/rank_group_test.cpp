#include "core/parallel/rank_group.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include "core/parallel/sequence_shard.h"
#include "tests/parallel/rank_processes.h"

namespace reelgrid::parallel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What each rank of a test runs, as a case of this program that is run by itself.
#define IN_RANK(body) TEST(DISABLED_InRank, body)

RankPlace here() {
    return rankPlace().value().value();
}

void expectAllEndWell(int ranks, const std::string& body) {
    for (const RankEnd& end : runRanks(ranks, body)) EXPECT_EQ(end.status, 0) << end.errors;
}

/// [rank, rank + 100, …]: who sent what to whom.
at::Tensor partsOf(const RankGroup& group, at::ScalarType dtype) {
    return (at::arange(group.ranks(), at::kFloat) * 100 + group.rank())
        .view({-1, 1, 1})
        .expand({-1, 2, 3})
        .to(dtype);
}

IN_RANK(Exchanges) {
    RankGroup group(here(), seconds(20));
    for (const auto dtype : {at::kFloat, at::kBFloat16, at::kHalf, at::kLong}) {
        const at::Tensor got = group.all().allToAll(partsOf(group, dtype));
        for (int rank = 0; rank < group.ranks(); ++rank)
            EXPECT_TRUE(got[rank].eq(group.rank() * 100 + rank).all().item<bool>()) << got;
    }
    const at::Tensor mine = at::full({2, 2}, group.rank(), at::kFloat);
    const int before = (group.rank() + group.ranks() - 1) % group.ranks();
    EXPECT_TRUE(group.all().startPass(mine).received().eq(before).all().item<bool>());
    const at::Tensor all = group.all().gather(mine);
    EXPECT_EQ(all.sizes(), (std::vector<std::int64_t>{group.ranks(), 2, 2}));
    for (int rank = 0; rank < group.ranks(); ++rank) EXPECT_TRUE(all[rank].eq(rank).all().item<bool>());
    EXPECT_TRUE(group.all().fromFirst(mine).eq(0).all().item<bool>());
    EXPECT_EQ(group.all().fromFirst(group.rank() == 0 ? std::string("first") : std::string()), "first");
    const auto texts = group.all().gather(std::string(static_cast<std::size_t>(group.rank()), 'x'));
    for (int rank = 0; rank < group.ranks(); ++rank)
        EXPECT_EQ(texts[static_cast<std::size_t>(rank)].size(), static_cast<std::size_t>(rank));
    EXPECT_THAT(group.all().largest({1.0 * group.rank(), -1.0 * group.rank()}),
                testing::ElementsAre(group.ranks() - 1, 0));
}
TEST(RankGroup, ExchangesEveryDtypeBitByBit) {
    expectAllEndWell(2, "Exchanges");
    expectAllEndWell(3, "Exchanges");
}

IN_RANK(HasAMesh) {
    RankGroup group(here(), seconds(20));
    Mesh& mesh = group.mesh({.cfg = 2, .ring = 1, .ulysses = 2});
    EXPECT_EQ(mesh.ulysses().ranks(), 2);
    EXPECT_EQ(mesh.ulysses().rank(), group.rank() % 2);
    EXPECT_EQ(mesh.branches().rank(), group.rank() / 2);
    EXPECT_EQ(mesh.ring().ranks(), 1);
    const at::Tensor other = mesh.branches().gather(at::full({1}, group.rank(), at::kLong));
    EXPECT_EQ(other[1].item<std::int64_t>() - other[0].item<std::int64_t>(), 2);
    EXPECT_NO_THROW(mesh.requireHeads(4));
    EXPECT_THROW(mesh.requireHeads(3), Failure);
    EXPECT_THROW(static_cast<void>(group.mesh({.cfg = 1, .ring = 1, .ulysses = 2})), Failure);
}
TEST(RankGroup, SharesRanksOutByDegrees) {
    expectAllEndWell(4, "HasAMesh");
}

IN_RANK(SharesTokens) {
    RankGroup group(here(), seconds(20));
    Mesh& mesh = group.mesh({.cfg = 1, .ring = 1, .ulysses = group.ranks()});
    const at::Tensor tokens = at::arange(10 * 2, at::kFloat).view({1, 10, 2});
    const SequenceShard shard(&mesh, 10);
    const at::Tensor mine = shard.part(tokens, 1);
    EXPECT_EQ(mine.size(1), 4);  // 3 ranks: 4, 4 and 2 with two of zeros
    EXPECT_TRUE(shard.gather(mine).equal(tokens));
    const std::vector<std::vector<std::int64_t>> runs{{4, 0}, {2, 2}, {0, 1}};
    EXPECT_EQ(shard.runs({6, 3}), runs[static_cast<std::size_t>(group.rank())]);
}
TEST(SequenceShard, GivesEachRankAsManyTokensAndFillsUpTheLast) {
    expectAllEndWell(3, "SharesTokens");
}

IN_RANK(AgreesOnStop) {
    RankGroup group(here(), seconds(20));
    std::stop_source source;
    group.setStop(source.get_token());
    group.agreeOnStop();
    EXPECT_FALSE(group.agreedStop().stop_requested());
    if (group.rank() == 1) source.request_stop();
    group.agreeOnStop();
    EXPECT_TRUE(group.agreedStop().stop_requested());
}
TEST(RankGroup, StopsOnAllRanksWhereOneIsAskedTo) {
    expectAllEndWell(3, "AgreesOnStop");
}

/// Waits for a rank that won't come, and writes what it is told.
void waitInVain(RankGroup& group) {
    try {
        static_cast<void>(group.all().gather(at::zeros({1})));
        FAIL() << "rank 1 was not there";
    } catch (const Failure& failure) {
        dprintf(STDERR_FILENO, "told: %s\n", failure.what());
        group.watch().ends(failure.error());
        _exit(group.watch().tells() ? 7 : 8);
    }
}

IN_RANK(LosesOne) {
    RankGroup group(here(), seconds(20));
    group.watch().at("step 3 of 9");
    static_cast<void>(group.all().gather(at::zeros({1})));
    std::this_thread::sleep_for(seconds(1));  // in which it says where it is
    if (group.rank() == 1) kill(getpid(), SIGKILL);
    waitInVain(group);
}
TEST(RankGroup, EndsWithinSecondsAndNamesTheRankThatDied) {
    const auto start = std::chrono::steady_clock::now();
    const auto ends = runRanks(3, "LosesOne");
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(15));
    EXPECT_EQ(ends[0].status, 7) << ends[0].errors;  // it tells
    EXPECT_EQ(ends[1].status, 128 + SIGKILL);
    EXPECT_EQ(ends[2].status, 8) << ends[2].errors;
    EXPECT_THAT(ends[0].errors, testing::ContainsRegex("told: rank 1 on .*, step 3 of 9: it ended"));
}

IN_RANK(HasOneThatFails) {
    RankGroup group(here(), seconds(20));
    if (group.rank() == 1) {
        group.watch().ends({ErrorCode::OutOfMemory, "no memory is left"});
        _exit(1);
    }
    waitInVain(group);
}
TEST(RankGroup, TellsWhyARankEnded) {
    const auto ends = runRanks(2, "HasOneThatFails");
    EXPECT_THAT(ends[0].errors, testing::ContainsRegex("told: rank 1 on .*: no memory is left"));
}

IN_RANK(HasOneThatHangs) {
    RankGroup group(here(), seconds(3));
    if (group.rank() != 1) waitInVain(group);
    std::this_thread::sleep_for(seconds(12));  // its watch lives on
    _exit(9);
}
TEST(RankGroup, EndsAfterItsTimeOutWhereARankHangs) {
    const auto ends = runRanks(2, "HasOneThatHangs");
    EXPECT_EQ(ends[0].status, 7) << ends[0].errors;
    EXPECT_THAT(ends[0].errors,
                testing::ContainsRegex("told: rank 1 on .*others have waited for it for [34] s"));
}

/// What runs on a GPU waits for a rank that won't come; its own thread waits for the GPU, or doesn't ask.
IN_RANK(LeavesAnExchangeAlone) {
    RankGroup group(here(), seconds(20));
    group.watch().at("step 3 of 9");
    static_cast<void>(group.all().gather(at::zeros({1})));
    std::this_thread::sleep_for(seconds(1));
    if (group.rank() == 1) kill(getpid(), SIGKILL);
    std::promise<void> end;  // called on a thread of its own
    group.deviceWatch().addEnd([&] {
        dprintf(STDERR_FILENO, "what was under way is ended\n");
        end.set_value();
    });
    group.deviceWatch().setLastResort([&](const Error& why) {
        dprintf(STDERR_FILENO, "last resort: %s\n", why.message.c_str());
        _exit(7);
    });
    group.deviceWatch().follow({[] { return true; }, [] { return false; }});
    if (group.rank() == 2) std::this_thread::sleep_for(seconds(30));
    while (true) {
        std::this_thread::sleep_for(milliseconds(50));
        try {
            group.deviceWatch().check();
        } catch (const Failure& failure) {
            end.get_future().wait();
            dprintf(STDERR_FILENO, "told: %s\n", failure.what());
            _exit(8);
        }
    }
}
TEST(DeviceWatch, EndsWhatWaitsOnAGpuForARankThatDied) {
    const auto start = std::chrono::steady_clock::now();
    const auto ends = runRanks(3, "LeavesAnExchangeAlone");
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(20));
    EXPECT_EQ(ends[0].status, 8) << ends[0].errors;
    EXPECT_EQ(ends[2].status, 7) << ends[2].errors;
    EXPECT_THAT(ends[0].errors, testing::HasSubstr("what was under way is ended"));
    EXPECT_THAT(ends[0].errors, testing::ContainsRegex("told: rank 1 on .*, step 3 of 9: it "));
    EXPECT_THAT(ends[2].errors, testing::ContainsRegex("last resort: rank 1 on .*, step 3 of 9: it "));
}

IN_RANK(KeepsAnExchangeWaiting) {
    RankGroup group(here(), seconds(2));
    if (group.rank() == 1) {
        std::this_thread::sleep_for(seconds(8));  // its watch lives on
        _exit(9);
    }
    const auto start = std::chrono::steady_clock::now();
    const auto after = [start](seconds time) {
        return [start, time] { return std::chrono::steady_clock::now() - start > time; };
    };
    // The first is done before its time is over, the second has waited for this rank's own work so far.
    group.deviceWatch().follow({[] { return true; }, after(seconds(1))});
    group.deviceWatch().follow({after(seconds(3)), [] { return false; }});
    try {
        while (true) {
            group.deviceWatch().check();
            std::this_thread::sleep_for(milliseconds(20));
        }
    } catch (const Failure& failure) {
        EXPECT_GT(std::chrono::steady_clock::now() - start, milliseconds(4900));
        dprintf(STDERR_FILENO, "told: %s\n", failure.what());
        _exit(testing::Test::HasFailure() ? 1 : 7);
    }
}
TEST(DeviceWatch, CountsTheTimeThatOthersKeepAnExchangeWaiting) {
    const auto ends = runRanks(2, "KeepsAnExchangeWaiting");
    EXPECT_EQ(ends[0].status, 7) << ends[0].errors;
    EXPECT_THAT(ends[0].errors,
                testing::ContainsRegex("told: rank 1 on .*others have waited for it for 2 s"));
}

IN_RANK(AgreesOnExchange) {
    RankGroup group(here(), seconds(20));
    group.agreeOnExchange(at::kCPU);
    EXPECT_EQ(group.exchange().nccl, nullptr);
    EXPECT_EQ(group.exchange().whyHost, "rank 0: it computes on the CPU");
    if (group.rank() == 1) setenv("REELGRID_RANK_EXCHANGE", "nccl", 1);
    EXPECT_THROW(group.agreeOnExchange(at::kCPU), Failure);
}
TEST(RankGroup, AgreesOnHowTensorsOfGpusTravel) {
    expectAllEndWell(2, "AgreesOnExchange");
}

TEST(ExchangeChoice, IsNcclWhereEachRankHasAGpuOfItsOwn) {
    const ExchangeOffer first{.gpu = "a 0000:01:00.0"}, second{.gpu = "a 0000:02:00.0"};
    EXPECT_EQ(whyHostMemory({first, second}), "");
    EXPECT_EQ(whyHostMemory({first, second, first}), "rank 2: it shares a GPU with rank 0");
    EXPECT_EQ(whyHostMemory({first, {.obstacle = "no NCCL", .gpu = "a 0000:02:00.0"}}), "rank 1: no NCCL");
    EXPECT_EQ(whyHostMemory({first, {.asked = "host", .gpu = "a 0000:02:00.0"}}),
              "rank 1: REELGRID_RANK_EXCHANGE is host");
    EXPECT_EQ(whyHostMemory({{.asked = "nccl", .gpu = "a"}, second}), "");
    try {
        static_cast<void>(whyHostMemory({{.asked = "nccl", .gpu = "a"}, {.gpu = "a"}}));
        FAIL() << "they share a GPU";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(failure.what(), testing::HasSubstr("rank 1: it shares a GPU with rank 0"));
    }
}

TEST(ExchangeChoice, NamesAWordThatItDoesntKnow) {
    setenv("REELGRID_RANK_EXCHANGE", "tcp", 1);
    EXPECT_THROW(static_cast<void>(exchangeOffer(at::kCPU, "a")), Failure);
    unsetenv("REELGRID_RANK_EXCHANGE");
}

TEST(RankGroup, NamesTheAddressWhereNobodyAnswers) {
    RankPlace place{.rank = 1, .ranks = 2, .address = "127.0.0.1", .port = 1};
    try {
        const RankGroup group(place, milliseconds(1500));
        FAIL() << "somebody answered";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.what(), testing::HasSubstr("nobody answers at 127.0.0.1 port 1"));
    }
}

}  // namespace
}  // namespace reelgrid::parallel

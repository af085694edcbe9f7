#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "core/attention/make_dispatcher.h"
#include "core/devices/gpu_survey.h"
#include "core/models/wan/transformer.h"
#include "core/parallel/rank_group.h"
#include "core/parallel/shared_tensors.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/random_weights.h"
#include "tests/parallel/rank_processes.h"

namespace reelgrid::parallel {
namespace {

using std::chrono::seconds;

/// Cases whose ranks have a GPU each; what a rank runs is a case of this program that is run by itself.
class RanksOnGpus : public testing::Test {
  protected:
    void SetUp() override {
        const std::size_t gpus = devices::surveyGpus().gpus.size();
        if (gpus < 2) GTEST_SKIP() << gpus << " GPUs are here: 2 were needed";
    }
};
#define IN_RANK_ON_GPU(body) TEST(DISABLED_InRank, body)

void expectAllWell(const std::string& body) {
    for (const RankEnd& end : runRanks(2, body)) EXPECT_EQ(end.status, 0) << end.errors;
}

/// One of the ranks, with its GPU started.
struct Rank {
    Rank()
        : group(rankPlace().value().value(), seconds(20)),
          gpu(execution::executionOn("cuda:" + std::to_string(group.place().localRank)).value()) {
        group.agreeOnExchange(gpu.device);
    }

    RankGroup group;
    execution::Execution gpu;
};

IN_RANK_ON_GPU(ExchangesOnGpus) {
    Rank rank;
    ASSERT_NE(rank.group.exchange().nccl, nullptr) << rank.group.exchange().whyHost;
    Communicator& all = rank.group.all();
    for (const auto dtype : {at::kFloat, at::kBFloat16, at::kHalf, at::kLong, at::kByte, at::kBool}) {
        at::manual_seed(7);
        const at::Tensor parts = at::randint(0, 2, {2, 2, 3, 5, 7}, at::kLong).to(dtype);
        const auto sentBy = [&](int sender) { return parts[sender].to(rank.gpu.device); };
        const at::Tensor got = all.allToAll(sentBy(all.rank()));
        EXPECT_EQ(got.device(), rank.gpu.device);
        for (int other = 0; other < 2; ++other)
            EXPECT_TRUE(at::equal(got[other], sentBy(other)[all.rank()])) << at::toString(dtype);
        EXPECT_TRUE(at::equal(all.startPass(sentBy(all.rank())).received(), sentBy(1 - all.rank())));
        EXPECT_TRUE(at::equal(all.gather(sentBy(all.rank()).transpose(1, 2)),
                              parts.to(rank.gpu.device).transpose(2, 3)));
        EXPECT_TRUE(at::equal(all.fromFirst(sentBy(all.rank())), sentBy(0)));
        const at::Tensor whole = at::empty_like(parts, parts.options().device(rank.gpu.device));
        EXPECT_TRUE(
            at::equal(all.startGather(sentBy(all.rank()), whole).received(), parts.to(rank.gpu.device)));
    }
    const auto shared =
        sharedFromFirst(all, {{"x", at::full({3, 4}, all.rank() + 5, at::kHalf)}}, rank.gpu.device);
    EXPECT_TRUE(at::equal(shared.at("x"), at::full({3, 4}, 5, shared.at("x").options())));
    EXPECT_EQ(all.fromFirst(std::string("a") + std::to_string(all.rank())), "a0");
    // What was computed on the stream just before is what is sent, and what comes is used just after.
    at::Tensor x = at::ones({2, 1 << 20}, at::TensorOptions().device(rank.gpu.device));
    for (int i = 0; i < 100; ++i) x = all.allToAll(x) + 1;
    EXPECT_TRUE(x.eq(101).all().item<bool>());
}
TEST_F(RanksOnGpus, ExchangeEveryDtypeBitByBit) {
    expectAllWell("ExchangesOnGpus");
}

/// A flow by both ways that two ranks share it, and by one.
IN_RANK_ON_GPU(SharesAPassOnGpus) {
    using namespace models::wan;
    Rank rank;
    const WanTransformerConfig config{.numAttentionHeads = 4, .textDim = 64, .ffnDim = 512, .numLayers = 3};
    at::manual_seed(3);
    RandomWeights source(at::kCPU, at::kBFloat16);
    WanTransformer model(config, weights::WeightScope(source, at::kBFloat16, rank.gpu.device));
    at::manual_seed(3);
    WanTransformer sharded(config, weights::WeightScope(source, at::kBFloat16, rank.gpu.device),
                           {.blocks = {.residence = models::BlockResidence::Sharded,
                                       .ranks = 2,
                                       .mesh = &rank.group.mesh({.ulysses = 2})}});
    const auto onGpu = at::TensorOptions().device(rank.gpu.device);
    const at::Tensor latents = at::randn({1, 16, 3, 22, 18}, onGpu);  // 297 tokens
    const PreparedText text = model.prepareText(at::randn({1, 9, config.textDim}, onGpu));
    for (const std::string attention : {"sdpa", "fav2", "fav3", "fav3_sage"}) {
        const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), rank.gpu).value();
        const auto flowOf = [&](WanTransformer& of, Mesh* mesh) {
            return of.forward(latents, of.embedTimestep(700), text, {*dispatcher, nullptr, mesh});
        };
        const auto flowBy = [&](Mesh* mesh) { return flowOf(model, mesh); };
        const at::Tensor alone = flowBy(nullptr);
        EXPECT_LE(relativeError(flowBy(&rank.group.mesh({.ulysses = 2})), alone), 1e-2)
            << attention << ", Ulysses";
        EXPECT_TRUE(at::equal(flowOf(sharded, &rank.group.mesh({.ulysses = 2})),
                              flowBy(&rank.group.mesh({.ulysses = 2}))))
            << attention << ", a part of the weights on each";
        EXPECT_LE(relativeError(flowBy(&rank.group.mesh({.ring = 2})), alone), 3e-2) << attention << ", ring";
    }
}
TEST_F(RanksOnGpus, ShareAPass) {
    expectAllWell("SharesAPassOnGpus");
}

/// Queues exchanges that a rank never joins, and waits for its GPU without asking anybody.
IN_RANK_ON_GPU(LosesOneOnGpus) {
    Rank rank;
    rank.group.watch().at("step 3 of 9");
    at::Tensor x = at::ones({2, 1 << 20}, at::TensorOptions().device(rank.gpu.device));
    x = rank.group.all().allToAll(x);
    rank.gpu.synchronise();
    std::this_thread::sleep_for(seconds(1));  // in which it says where it is
    if (rank.group.rank() == 1) kill(getpid(), SIGKILL);
    const auto start = std::chrono::steady_clock::now();
    const auto end = [start](const char* how, const std::string& why) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        dprintf(STDERR_FILENO, "%s after %.1f s: %s\n", how, took.count(), why.c_str());
        _exit(took < seconds(10) ? 7 : 9);
    };
    rank.group.deviceWatch().setLastResort([&](const Error& why) { end("last resort", why.message); });
    try {
        for (int i = 0; i < 3; ++i) x = rank.group.all().allToAll(x);
        rank.gpu.synchronise();
        static_cast<void>(rank.group.all().gather(x));
    } catch (const std::exception& failure) {
        end("told", failure.what());
    }
}
TEST_F(RanksOnGpus, EndWithinTenSecondsAndNameTheRankThatDied) {
    const auto ends = runRanks(2, "LosesOneOnGpus");
    std::printf("%s", ends[0].errors.c_str());
    EXPECT_EQ(ends[0].status, 7) << ends[0].errors;
    EXPECT_THAT(ends[0].errors, testing::ContainsRegex("rank 1 on .*, step 3 of 9: it "));
}

/// The same where it lives, but doesn't come.
IN_RANK_ON_GPU(HasOneThatHangsOnGpus) {
    RankGroup group(rankPlace().value().value(), seconds(8));
    const auto gpu = execution::executionOn("cuda:" + std::to_string(group.place().localRank)).value();
    group.agreeOnExchange(gpu.device);
    at::Tensor x = at::ones({2, 1 << 20}, at::TensorOptions().device(gpu.device));
    x = group.all().allToAll(x);
    gpu.synchronise();
    if (group.rank() == 1) {
        std::this_thread::sleep_for(seconds(20));
        _exit(9);
    }
    try {
        x = group.all().allToAll(x);
        static_cast<void>(group.all().gather(x));
    } catch (const std::exception& failure) {
        dprintf(STDERR_FILENO, "told: %s\n", failure.what());
        _exit(7);
    }
}
TEST_F(RanksOnGpus, EndAfterTheirTimeOutWhereOneHangs) {
    const auto ends = runRanks(2, "HasOneThatHangsOnGpus");
    EXPECT_EQ(ends[0].status, 7) << ends[0].errors;
    EXPECT_THAT(ends[0].errors, testing::ContainsRegex("told: rank 1 on .*(others have waited for it for "
                                                       "[89] s|it has said nothing for [89] s)"));
}

}  // namespace
}  // namespace reelgrid::parallel

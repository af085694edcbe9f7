#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <cfenv>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"
#include "core/execution/out_of_memory.h"
#include "core/plugins/plugin_list.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PluginGuard : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        execution::giveCpuMemoryErrorsTheirType();
        std::vector<std::string> notes;
        for (const char* name : {"faulty", "example", "wrong"})
            plugins::addPlugins(
                {{std::string(REELGRID_TEST_PLUGINS) + "/" + name + ".so", plugins::Found::Given}}, notes)
                .value();
    }

    static Inputs inputs(std::int64_t keys = 40) {
        at::manual_seed(3);
        const auto make = [](std::int64_t tokens) { return at::randn({1, tokens, 2, 16}).transpose(1, 2); };
        return {make(30), make(keys), make(keys), {}};
    }

    static std::string failureOf(const std::string& backend, const Inputs& in) {
        try {
            (void)makeDispatcher(backend).value()->attend(in, {ModuleKind::Self, 0});
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return "";
    }
};

TEST_F(PluginGuard, AnExactKernelGivesWhatSdpaGives) {
    const Inputs in = inputs();
    const auto dispatcher = makeDispatcher("example").value();
    const at::Tensor out = dispatcher->attend(in, {ModuleKind::Self, 0});
    EXPECT_TRUE(out.transpose(1, 2).is_contiguous());
    EXPECT_LE(
        (out - at::scaled_dot_product_attention(in.q_BHND, in.k_BHMD, in.v_BHMD)).abs().max().item<double>(),
        2e-6);
    EXPECT_EQ(dispatcher->records().front().used, "example");
    EXPECT_EQ(dispatcher->replayOfPass(), Replay::Refused);
}

TEST_F(PluginGuard, AKernelInPythonSeesTheTensorsOfARenderWithoutACopy) {
    std::vector<std::string> notes;
    const auto added = plugins::addPlugins(
        {{std::string(REELGRID_PYTHON_KERNELS) + "/copying.py", plugins::Found::Given}}, notes);
    if (!added) GTEST_SKIP() << added.error().message;
    kernels::PluginMemory& memory = *kernels::findBackend("copying")->plugin->kernel->memory();
    at::Tensor kept;
    {
        const auto dispatcher = makeDispatcher("copying").value();
        const at::Tensor qkv = at::rand({1, 400, 3, 2, 32});
        kept = qkv;
        EXPECT_TRUE(memory.holds(qkv.data_ptr()));
        EXPECT_FALSE(memory.holds(at::rand({100}).data_ptr()));
        const auto part = [&](int i) { return qkv.select(2, i).transpose(1, 2); };
        const at::Tensor out = dispatcher->attend({part(0), part(1), part(2), {}}, {ModuleKind::Self, 0});
        EXPECT_TRUE(memory.holds(out.data_ptr()));
        EXPECT_TRUE(at::equal(out, part(2)));
        EXPECT_EQ(dispatcher->records().front().used, "copying") << dispatcher->records().front().why;
    }
    EXPECT_FALSE(memory.holds(at::rand({400, 3, 2, 32}).data_ptr()));
    EXPECT_TRUE(memory.holds(kept.data_ptr())) << "which outlives the render";
}

TEST_F(PluginGuard, NamesThePluginAndWhatItDid) {
    EXPECT_THAT(
        failureOf("leaving", inputs()),
        AllOf(HasSubstr("plug-in leaving ("), HasSubstr("faulty.so) left NaN, infinite or unwritten values"),
              HasSubstr("q [1, 2, 30, 16], k and v [1, 2, 40, 16] Float")));
    EXPECT_THAT(failureOf("overrunning", inputs()), HasSubstr("wrote outside its output"));
    EXPECT_THAT(failureOf("meddling", inputs()), HasSubstr("changed its inputs"));
    EXPECT_THAT(failureOf("cramped", inputs()), HasSubstr("wrote outside its workspace in a call of q [1"));
    EXPECT_THAT(
        failureOf("greedy", inputs()),
        HasSubstr("faulty.so) asked for a workspace of 549755813888 bytes in a call of q [1, 2, 30, 16], "
                  "k and v [1, 2, 40, 16] Float: more than cpu has"));
    EXPECT_THAT(failureOf("throwing", inputs()), HasSubstr("in run(), threw an exception: no tiles left"));
    EXPECT_THAT(failureOf("failing", inputs()), HasSubstr("in run(), failed with 7: the tile is too large"));
}

TEST_F(PluginGuard, InputsAreLookedAtInEveryCall) {
    const auto dispatcher = makeDispatcher("relapsing").value();
    (void)dispatcher->attend(inputs(), {ModuleKind::Self, 0});
    EXPECT_THROW((void)dispatcher->attend(inputs(), {ModuleKind::Self, 0}), Failure);
    Inputs biased = inputs();
    biased.keyBias_M = at::zeros({40});
    EXPECT_THAT(failureOf("biased", biased), HasSubstr("changed its inputs"));
}

TEST_F(PluginGuard, HowTheProcessorRoundsIsPutBack) {
    EXPECT_EQ(failureOf("rounding", inputs()), "");
    const std::vector<int> modes = [] {
        std::vector<int> found(std::size_t(at::get_num_threads()));
#pragma omp parallel for
        for (std::size_t i = 0; i < found.size(); ++i) found[i] = std::fegetround();
        return found;
    }();
    EXPECT_THAT(modes, testing::Each(FE_TONEAREST));
}

TEST_F(PluginGuard, AnExceptionsLongLogIsCut) {
    const std::string failure = failureOf("verbose", inputs());
    EXPECT_THAT(failure, AllOf(HasSubstr("in run(), threw an exception: xxx"), testing::EndsWith("x …")));
    EXPECT_LT(failure.size(), 1000U);
}

TEST_F(PluginGuard, TellsItWhichCallItIsAndWhatIsSet) {
    const auto options = BackendOptions::create({"telling.window=5,3,3"}).value();
    const auto policy = Policy::create("telling", {}, {9, 20}).value();
    const auto dispatcher = makeDispatcher(policy, {}, {.options = options, .family = "wan"}).value();
    dispatcher->beginPass(4, GuidanceBranch::Unconditional);
    Inputs in = inputs(30);
    in.grid = {.frames = 2, .rows = 3, .columns = 4, .textAfter = 6};
    try {
        (void)dispatcher->attend(in, {ModuleKind::Joint, 7});
        FAIL() << "it fails with what it was told";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    HasSubstr("2x3x4+6 layer 7 step 4 of 20 joint unconditional wan window=5,3,3 share=0.5"));
    }
}

TEST_F(PluginGuard, OptionsThatItHasNotAreRefused) {
    const auto errorOf = [](const char* text) { return BackendOptions::create({text}).error().message; };
    EXPECT_EQ(errorOf("telling.size=3"),
              "--backend-option telling.size=3: telling has no option size, one of window, share was needed");
    EXPECT_THAT(errorOf("telling.window=3,3"),
                HasSubstr("telling.window: 3 whole numbers separated by commas were needed"));
    EXPECT_THAT(errorOf("telling.share=x"), HasSubstr("telling.share: a number was needed"));
    EXPECT_THAT(errorOf("fav2.share=1"), HasSubstr("fav2 has no option share, it has none at all"));
}

TEST_F(PluginGuard, InputsThatAreNotFiniteAreNotThePluginsFault) {
    Inputs in = inputs();
    in.q_BHND.select(2, 3).fill_(std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(failureOf("example", in), "");
}

TEST_F(PluginGuard, WhatItRefusesGoesToSdpaWithItsReason) {
    const auto dispatcher = makeDispatcher("choosy").value();
    (void)dispatcher->attend(inputs(40), {ModuleKind::Self, 0});
    (void)dispatcher->attend(inputs(41), {ModuleKind::Self, 0});
    const auto records = dispatcher->records();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].used, "sdpa");
    EXPECT_EQ(records[0].why, "choosy: 40 keys, needs an odd number");
    EXPECT_EQ(records[1].used, "choosy");
}

TEST_F(PluginGuard, WhatItsDescriptionLeavesOutIsNotAskedOfIt) {
    Inputs in = inputs();
    in.keyBias_M = at::zeros({40});
    const auto dispatcher = makeDispatcher("choosy").value();
    (void)dispatcher->attend(in, {ModuleKind::Self, 0});
    for (at::Tensor* x : {&in.q_BHND, &in.k_BHMD, &in.v_BHMD}) *x = x->to(at::kHalf);
    in.keyBias_M = at::Tensor();
    (void)dispatcher->attend(in, {ModuleKind::Self, 0});
    in = inputs();
    in.k_BHMD = in.k_BHMD.narrow(1, 0, 1);
    in.v_BHMD = in.v_BHMD.narrow(1, 0, 1);
    (void)dispatcher->attend(in, {ModuleKind::Self, 0});
    const auto records = dispatcher->records();
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[0].why, "choosy: takes no key bias");
    EXPECT_EQ(records[1].why, "choosy: dtype fp16, needs fp32 or bf16");
    EXPECT_EQ(records[2].why, "choosy: takes no shared key heads");
}

TEST_F(PluginGuard, GivesTheScratchMemoryThatIsAskedFor) {
    EXPECT_EQ(failureOf("roomy", inputs()), "");
}

using PluginGuardDeathTest = PluginGuard;

TEST_F(PluginGuardDeathTest, ACrashSaysWhoseItWas) {
    EXPECT_DEATH((void)failureOf("crashing", inputs()),
                 "plug-in crashing \\(.*faulty.so\\), in run\\(\\), crashed \\(segmentation fault\\)");
    EXPECT_DEATH((void)failureOf("overflowing", inputs()),
                 "plug-in overflowing \\(.*faulty.so\\), in run\\(\\), crashed \\(segmentation fault\\)");
}

}  // namespace
}  // namespace reelgrid::attention

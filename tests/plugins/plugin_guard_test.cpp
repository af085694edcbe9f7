#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"
#include "core/plugins/plugin_list.h"

namespace reelgrid::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PluginGuard : public testing::Test {
  protected:
    static void SetUpTestSuite() {
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

TEST_F(PluginGuard, NamesThePluginAndWhatItDid) {
    EXPECT_THAT(
        failureOf("leaving", inputs()),
        AllOf(HasSubstr("plug-in leaving ("), HasSubstr("faulty.so) left NaN, infinite or unwritten values"),
              HasSubstr("q [1, 2, 30, 16], k and v [1, 2, 40, 16] Float")));
    EXPECT_THAT(failureOf("overrunning", inputs()), HasSubstr("wrote outside its output"));
    EXPECT_THAT(failureOf("meddling", inputs()), HasSubstr("changed its inputs"));
    EXPECT_THAT(failureOf("throwing", inputs()), HasSubstr("in run(), threw an exception: no tiles left"));
    EXPECT_THAT(failureOf("failing", inputs()), HasSubstr("in run(), failed with 7: the tile is too large"));
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
}

}  // namespace
}  // namespace reelgrid::attention

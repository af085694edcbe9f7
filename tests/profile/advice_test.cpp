#include "core/profile/advice.h"

#include <gmock/gmock.h>

#include "tests/profile/trace_file.h"

namespace reelgrid::profile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Advice : public TraceFileTest {
  protected:
    [[nodiscard]] std::vector<Bottleneck> bottlenecks(const json& events) const {
        return bottlenecksOf(summaryOfEvents(events));
    }
};

TEST_F(Advice, NamesTheAttentionCallAndItsShapeForBench) {
    const json inputs{{"Input Dims", {{1, 12, 1296, 64}, {1, 12, 512, 64}, {1, 12, 512, 64}}}};
    const auto found = bottlenecks({range("step 0", 0, 100), range("layer 0", 0, 100),
                                    event("user_annotation", "cross-attention sdpa", 10, 80, inputs)});
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].what, "attention");
    EXPECT_EQ(found[0].time, 80000);
    EXPECT_EQ(found[0].whole, 100000);
    EXPECT_THAT(found[0].evidence, HasSubstr("cross-attention sdpa: 1 calls, 80.000us"));
    EXPECT_THAT(found[0].advice, HasSubstr("bench attention --shape 1,12,1296,64,512)"));
}

TEST_F(Advice, TakesTheShapeFromWhatHasHeadsBeforeTokens) {
    const json outer{{"Input Dims", {{1, 4, 16, 64}, {1, 4, 16, 64}}}};
    const json inner{{"Input Dims", {{1, 16, 4, 64}, {1, 16, 4, 64}}}};
    json events{op("aten::scaled_dot_product_attention", 0, 100, outer),
                op("aten::_efficient_attention_forward", 0, 100, inner)};
    EXPECT_THAT(bottlenecks(events)[0].advice, HasSubstr("--shape 1,4,16,64)"));
    events.erase(0);
    EXPECT_THAT(bottlenecks(events)[0].advice, testing::Not(HasSubstr("--shape")));
}

TEST_F(Advice, SaysInWhichStageConvolutionsAre) {
    const auto found =
        bottlenecks({range("denoise", 0, 40), op("aten::addmm", 0, 30), op("aten::conv2d", 30, 1),
                     range("decode", 50, 60), op("reelgrid::winograd_conv", 50, 49)});
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].what, "convolutions");
    EXPECT_EQ(found[0].time, 50000);
    EXPECT_THAT(found[0].evidence,
                HasSubstr("reelgrid::winograd_conv: 1 calls, 49.000us, 98.0 % of it in decode"));
    EXPECT_THAT(found[0].advice, HasSubstr("already")) << "bf16 is slower there";
    EXPECT_EQ(found[1].what, "matrix products");
    EXPECT_THAT(found[1].advice, HasSubstr("can change only the 0.0 % in attention"));
}

TEST_F(Advice, FindsCopiesThatTakeTheThreadsTime) {
    const auto found = bottlenecks({op("aten::copy_", 0, 92), op("aten::add", 92, 8)});
    ASSERT_EQ(found.size(), 1U) << "8 % are not worth a word";
    EXPECT_EQ(found[0].what, "copies");
    EXPECT_THAT(found[0].evidence, HasSubstr("aten::copy_: 1 calls"));
}

TEST_F(Advice, TellsAnIdleDeviceFromAWaitThatCostsNothing) {
    json busy{range("step 0", 0, 100), event("cuda_runtime", "cudaDeviceSynchronize", 10, 88)};
    for (const json& each : launched("gemm", 2, 4, 94, 1)) busy.push_back(each);
    const auto waits = bottlenecks(busy);
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_EQ(waits[0].what, "matrix products");
    EXPECT_EQ(waits[1].what, "host waits");
    EXPECT_THAT(waits[1].advice, HasSubstr("waiting for it costs nothing"));

    json idle = json::array({range("step 0", 0, 100)});
    for (int i = 0; i < 5; ++i)
        for (const json& each : launched("gemm", 20 * i, 20 * i + 2, 4, i + 1)) idle.push_back(each);
    const auto launches = bottlenecks(idle);
    ASSERT_EQ(launches.size(), 2U);
    EXPECT_EQ(launches[1].what, "idle device");
    EXPECT_EQ(launches[1].time, 84000 - 20000);
    EXPECT_THAT(launches[1].evidence, HasSubstr("5 kernels of 4.000us"));
    EXPECT_THAT(launches[1].advice, HasSubstr("--use-torch-compile"));
}

TEST_F(Advice, NamesWhatTakesMostHoweverSmall) {
    json events{op("aten::mm", 0, 19)};
    double at = 19;
    for (const char* name :
         {"aten::conv2d", "aten::layer_norm", "aten::add", "aten::unknown", "aten::_softmax"}) {
        events.push_back(op(name, at, 16.2));
        at += 16.2;
    }
    const auto found = bottlenecks(events);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].what, "matrix products");
}

}  // namespace
}  // namespace reelgrid::profile

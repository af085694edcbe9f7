#include "core/benchmark/attention_benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelgrid::benchmark {
namespace {

AttentionCase small(const std::string& shape, std::vector<std::string> kernelNames) {
    AttentionCase wanted;
    wanted.shape = *parseShape(shape);
    wanted.type = kernels::DataType::Float32;
    for (const std::string& name : kernelNames) wanted.backends.push_back(kernels::findBackend(name));
    wanted.repetitions = 2;
    return wanted;
}

const Progress kSilent = [](int, int, double) {};

std::vector<std::string> namesOf(const std::vector<AttentionRow>& rows) {
    std::vector<std::string> names;
    for (const AttentionRow& row : rows) names.push_back(row.kernel);
    return names;
}

TEST(MeasureAttention, PutsSdpaFirstAndOnce) {
    EXPECT_THAT(namesOf(measureAttention(small("1,1,20,64", {"fav2"}), kSilent)),
                testing::ElementsAre("sdpa", "fav2"));
    EXPECT_THAT(namesOf(measureAttention(small("1,1,20,64", {"sagev1", "sdpa", "fav2"}), kSilent)),
                testing::ElementsAre("sdpa", "sagev1", "fav2"));
    EXPECT_THAT(namesOf(measureAttention(small("1,1,20,64", {}), kSilent)), testing::ElementsAre("sdpa"));
}

TEST(MeasureAttention, EveryKernelTakesItsTurnsAndComesCloseToTheTruth) {
    for (const auto type :
         {kernels::DataType::Float32, kernels::DataType::BFloat16, kernels::DataType::Float16}) {
        AttentionCase wanted = small("2,2,150,64,170", {"fav2", "fav3", "sagev1"});
        wanted.type = type;
        for (const AttentionRow& row : measureAttention(wanted, kSilent)) {
            EXPECT_EQ(row.used, row.kernel);
            EXPECT_EQ(row.why, "");
            EXPECT_EQ(row.repetitions, 2);
            EXPECT_GT(row.best, 0);
            EXPECT_LE(row.best, row.p50);
            EXPECT_LE(row.p50, row.p95);
            EXPECT_TRUE(row.variation && *row.variation >= 0);
            EXPECT_GE(row.accuracy.cosine, 0.999) << row.kernel << " " << nameOf(type);
            EXPECT_LE(row.accuracy.l1, 0.03) << row.kernel << " " << nameOf(type);
        }
    }
}

TEST(MeasureAttention, TakesQuantisationOutOfTheKernelsTime) {
    AttentionCase wanted = small("1,2,100,64,3000", {"fav2", "sagev1"});
    const auto rows = measureAttention(wanted, kSilent);
    EXPECT_EQ(rows[0].kernelP50, rows[0].p50);
    for (const std::size_t i : {1U, 2U}) {
        ASSERT_TRUE(rows[i].kernelP50) << rows[i].kernel;
        EXPECT_GT(*rows[i].kernelP50, 0);
        EXPECT_LT(*rows[i].kernelP50, rows[i].p50) << rows[i].kernel;
    }
    wanted.clock = Clock::Processor;
    for (const AttentionRow& row : measureAttention(wanted, kSilent)) EXPECT_FALSE(row.kernelP50);
}

TEST(MeasureAttention, AllKernelsMaskAlikeWhateverTheLengths) {
    for (const char* shape : {"1,2,120,64", "1,2,60,64,150", "1,2,150,64,60"}) {
        AttentionCase wanted = small(shape, {"fav2", "sagev1"});
        wanted.mask = kernels::Mask::Causal;
        for (const AttentionRow& row : measureAttention(wanted, kSilent))
            EXPECT_GE(row.accuracy.cosine, 0.999) << row.kernel << " " << shape;
    }
}

TEST(MeasureAttention, GroupsOfQueryHeadsShareKeyHeads) {
    for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal}) {
        AttentionCase wanted = small("1,6/2,90,64,130", {"fav2", "sagev1"});
        wanted.mask = mask;
        for (const AttentionRow& row : measureAttention(wanted, kSilent)) {
            EXPECT_EQ(row.used, row.kernel) << row.why;
            EXPECT_GE(row.accuracy.cosine, 0.999) << row.kernel;
        }
    }
}

TEST(MeasureAttention, WithoutSmoothingOnlyTheKernelsThatSmoothDiffer) {
    AttentionCase wanted = small("1,2,200,64", {"fav2", "sagev1"});
    wanted.madeUp.distribution = Distribution::Sink;  // its keys have a mean
    const auto smoothed = measureAttention(wanted, kSilent);
    wanted.keySmoothing = kernels::KeySmoothing::None;
    const auto plain = measureAttention(wanted, kSilent);
    EXPECT_EQ(smoothed[1].keysSmoothed, std::nullopt);
    EXPECT_EQ(plain[1].accuracy.l1, smoothed[1].accuracy.l1);
    EXPECT_EQ(smoothed[2].keysSmoothed, true);
    EXPECT_EQ(plain[2].keysSmoothed, false);
    EXPECT_NE(plain[2].accuracy.l1, smoothed[2].accuracy.l1);
}

TEST(MeasureAttention, SaysWhichKernelLibtorchPicked) {
    const auto rows = measureAttention(small("1,1,20,64", {"fav2"}), kSilent);
    EXPECT_EQ(rows[0].choice, "flash");  // at::_scaled_dot_product_flash_attention_for_cpu
    EXPECT_EQ(rows[1].choice, "");
}

TEST(MeasureAttention, ANameOfAGpusOperatorIsAnsweredOnTheCpu) {
    const auto rows = measureAttention(small("1,1,20,64", {"cudnn"}), kSilent);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].used, "sdpa");
    EXPECT_EQ(rows[1].why, "cudnn: runs on an NVIDIA GPU only");
}

TEST(MeasureAttention, SaysWhyAKernelDidNotRunAndWhatDid) {
    const auto rows = measureAttention(small("1,1,20,300", {"fav2"}), kSilent);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].kernel, "fav2");
    EXPECT_EQ(rows[1].used, "sdpa");
    EXPECT_THAT(rows[1].why, testing::HasSubstr("head dim 300"));
    EXPECT_EQ(rows[1].p50, rows[0].p50);
}

TEST(MeasureAttention, TellsHowFarItIs) {
    std::vector<int> heard;
    AttentionCase wanted = small("1,1,20,64", {"fav2"});
    wanted.repetitions = 4;
    (void)measureAttention(wanted, [&](int done, int total, double) {
        EXPECT_EQ(total, 4);
        heard.push_back(done);
    });
    EXPECT_THAT(heard, testing::ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace reelgrid::benchmark

#include "core/benchmark/attention_input.h"

#include <gmock/gmock.h>

namespace reelgrid::benchmark {
namespace {

constexpr Distribution kAll[] = {Distribution::Normal, Distribution::Transformer, Distribution::Outlier,
                                 Distribution::Sink};

AttentionInput make(Distribution distribution, std::uint64_t seed = 42, const char* shape = "2,4,300,64,200",
                    MemoryOrder order = MemoryOrder::TokensFirst) {
    return makeUp({distribution, seed, order}, *parseShape(shape), kernels::DataType::Float32);
}

double meanOf(const at::Tensor& x) {
    return x.mean().item<double>();
}

TEST(MadeUpInput, IsThatOfItsSeed) {
    for (const Distribution distribution : kAll) {
        const AttentionInput one = make(distribution), same = make(distribution),
                             other = make(distribution, 43);
        EXPECT_TRUE(one.q_BHND.equal(same.q_BHND) && one.k_BHMD.equal(same.k_BHMD) &&
                    one.v_BHMD.equal(same.v_BHMD))
            << nameOf(distribution);
        EXPECT_FALSE(one.v_BHMD.equal(other.v_BHMD)) << nameOf(distribution);
        EXPECT_FALSE(one.k_BHMD.equal(one.v_BHMD)) << nameOf(distribution);
    }
}

TEST(MadeUpInput, HasTheShapeTheTypeAndTheOrderInMemory) {
    const AttentionShape shape = *parseShape("2,6/3,50,40,30");
    const AttentionInput tokensFirst = makeUp({}, shape, kernels::DataType::BFloat16);
    EXPECT_EQ(tokensFirst.q_BHND.sizes(), (at::IntArrayRef{2, 6, 50, 40}));
    EXPECT_EQ(tokensFirst.k_BHMD.sizes(), (at::IntArrayRef{2, 3, 30, 40}));
    EXPECT_EQ(tokensFirst.v_BHMD.sizes(), (at::IntArrayRef{2, 3, 30, 40}));
    EXPECT_EQ(tokensFirst.q_BHND.scalar_type(), at::kBFloat16);
    EXPECT_TRUE(tokensFirst.q_BHND.transpose(1, 2).is_contiguous());
    const AttentionInput headsFirst =
        makeUp({.order = MemoryOrder::HeadsFirst}, shape, kernels::DataType::BFloat16);
    EXPECT_TRUE(headsFirst.q_BHND.is_contiguous());
    EXPECT_TRUE(headsFirst.q_BHND.equal(tokensFirst.q_BHND)) << "the same values";
}

TEST(MadeUpInput, NormalHasMeanZeroAndVarianceOne) {
    const AttentionInput in = make(Distribution::Normal);
    for (const at::Tensor& x : {in.q_BHND, in.k_BHMD, in.v_BHMD}) {
        EXPECT_NEAR(meanOf(x), 0, 0.01);
        EXPECT_NEAR(meanOf(x.square()), 1, 0.02);
    }
}

TEST(MadeUpInput, TransformersKeysAreRmsNormedUnderUnevenChannelsAndValuesHaveOutliers) {
    const AttentionInput in = make(Distribution::Transformer);
    for (const at::Tensor& x : {in.q_BHND, in.k_BHMD}) {
        const at::Tensor squares_BHN = x.square().mean(-1);
        EXPECT_NEAR(squares_BHN.min().item<double>(), 1, 1e-4);
        EXPECT_NEAR(squares_BHN.max().item<double>(), 1, 1e-4);
    }
    const at::Tensor deviation_HD = in.v_BHMD.std(at::IntArrayRef{0, 2});
    EXPECT_GT(meanOf(deviation_HD.select(1, 3)), 2.5 * meanOf(deviation_HD.slice(1, 4, 19)));
    EXPECT_NEAR(meanOf(deviation_HD.log().slice(1, 4, 19)), 0, 0.2) << "exp(N(0, 0.5)) each";
}

TEST(MadeUpInput, OutliersAreAThousandthOfTheElements) {
    const AttentionInput in = make(Distribution::Outlier);
    for (const at::Tensor& x : {in.q_BHND, in.k_BHMD, in.v_BHMD}) {
        // N(0, 101) lies beyond 6 with a probability of 0.55, N(0, 1) never.
        EXPECT_NEAR(meanOf((x.abs() > 6).to(at::kFloat)), 0.00055, 0.0002);
        EXPECT_NEAR(meanOf(x.square()), 1.1, 0.05);
    }
}

TEST(MadeUpInput, SinksDrawNearlyAllWeight) {
    const AttentionInput in = make(Distribution::Sink, 42, "1,1,100,128,1000");
    const at::Tensor weights_NM = at::softmax(at::mm(in.q_BHND[0][0], in.k_BHMD[0][0].t()) * scaleOf(in), -1);
    EXPECT_GT(weights_NM.narrow(1, 0, 4).sum(1).min().item<double>(), 0.99);
}

TEST(MadeUpInput, DistributionsAreNamed) {
    for (const Distribution distribution : kAll)
        EXPECT_EQ(distributionFrom(nameOf(distribution)).value(), distribution);
    EXPECT_EQ(distributionFrom("uniform").error().message,
              "--distribution uniform: one of normal, transformer, outlier, sink was needed");
}

}  // namespace
}  // namespace reelgrid::benchmark

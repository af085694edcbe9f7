// sagev1 on the GPU: the error of its definition in float64 (tests/kernels/attention/method_oracle.h) and no
// other. Integers of half values may round either way, and P has the input's type.

#include <cmath>

#include "core/attention/make_dispatcher.h"
#include "kernels/attention/half_types.h"
#include "tests/gpu/case_on_gpu.h"
#include "tests/gpu/gpu.h"
#include "tests/kernels/attention/method_oracle.h"

namespace reelgrid {
namespace {

using kernels::DataType;
using kernels::Mask;
using kernels::Method;
using kernels::test::AttentionCase;
using kernels::test::Family;
using kernels::test::Layout;

constexpr DataType kTypes[] = {DataType::BFloat16, DataType::Float16};

class Sagev1OnGpu : public OnGpu {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        kernels::AttentionProblem problem;
        problem.device = kernels::Device::Cuda;
        problem.type = DataType::BFloat16;
        problem.queries = problem.keys = problem.headDim = 64;
        if (const auto why = kernels::whyNot(backend(), problem)) GTEST_SKIP() << *why;
    }

    static const kernels::BackendInfo& backend() { return *kernels::findBackend("sagev1"); }
    static kernels::test::Quantisation definition() {
        return kernels::test::quantisationOf(Method::Sage1, 128);
    }
    void expectItsOwnError(AttentionCase& c, const kernels::test::Quantisation& method = definition()) const {
        const auto defined = kernels::test::quantisedAttention(c.problem, method);
        const auto out = runOnGpu(backend(), c, gpu);
        ASSERT_TRUE(kernels::test::allFinite(out)) << c.name();
        const double largest = kernels::test::largest(defined), rounding = 1.0 / 256;
        EXPECT_LE(kernels::test::maxError(out, defined), (0.01 + rounding) * std::max(largest, 1e-30))
            << c.name();
        if (largest > 0) {
            EXPECT_LE(kernels::test::relativeL1(out, defined), 0.003 + rounding / 2) << c.name();
        }
    }
};

TEST_F(Sagev1OnGpu, MakesTheErrorOfItsDefinitionAndNoOther) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : {64, 128, 40, 96, 8})
            for (const auto& [queries, keys] :
                 {std::pair{1, 1}, {239, 1}, {1, 203}, {113, 203}, {129, 65}, {200, 257}, {400, 700}}) {
                AttentionCase c({1, 2, 2, queries, keys, dim}, type);
                expectItsOwnError(c);
            }
}

TEST_F(Sagev1OnGpu, MakesTheErrorOfItsDefinitionOverShortSequences) {
    for (const std::int64_t dim : {8, 16, 40, 64, 80, 160, 256})
        for (const auto& [queries, keys] :
             {std::pair{1, 1}, {3, 2}, {14, 14}, {16, 16}, {17, 16}, {25, 25}, {120, 32}, {9, 61}, {64, 64}})
            for (const auto mask : {Mask::None, Mask::Causal}) {
                std::vector<float> bias(static_cast<std::size_t>(keys));
                for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = 2 * std::sin(static_cast<float>(j));
                AttentionCase c({3, 6, 3, queries, keys, dim}, kTypes[keys % 2], Family::KeyBias,
                                Layout::TokensFirst, mask);
                if (queries > 15) c.problem.keyBias = bias.data();
                expectItsOwnError(c);
            }
}

TEST_F(Sagev1OnGpu, MakesTheErrorOfItsDefinitionOnEveryInputFamily) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : {64, 128})
            for (const auto family :
                 {Family::OutlierChannels, Family::KeyBias, Family::Sink, Family::Zeros, Family::Outliers}) {
                AttentionCase c({1, 1, 1, 150, 511, dim}, type, family);
                expectItsOwnError(c);
            }
    AttentionCase tiny({1, 1, 1, 60, 130, 64}, DataType::BFloat16, Family::Underflow);
    EXPECT_TRUE(kernels::test::allFinite(runOnGpu(backend(), tiny, gpu)));
}

TEST_F(Sagev1OnGpu, TakesMasksBiasesBatchesAndSharedKeyHeads) {
    for (const auto layout : {Layout::HeadsFirst, Layout::TokensFirst})
        for (const std::int64_t dim : {layout == Layout::HeadsFirst ? 64 : 128})
            for (const auto mask : {Mask::None, Mask::Causal})
                for (const bool hasKeyBias : {false, true})
                    for (const auto& [queries, keys] : {std::pair{150, 150}, {203, 113}, {113, 303}}) {
                        std::vector<float> bias(static_cast<std::size_t>(keys));
                        for (std::size_t j = 0; j < bias.size(); ++j)
                            bias[j] = 2 * std::sin(static_cast<float>(j));
                        AttentionCase c({2, 6, 3, queries, keys, dim}, DataType::BFloat16, Family::Normal,
                                        layout, mask);
                        if (hasKeyBias) c.problem.keyBias = bias.data();
                        expectItsOwnError(c);
                    }
}

TEST_F(Sagev1OnGpu, LogSumExpIsThatOfTheKeysAsTheyCame) {
    for (const std::int64_t dim : {64, 128})
        for (const auto family : {Family::Normal, Family::KeyBias}) {
            for (const auto& [queries, keys] : {std::pair{200, 350}, {16, 16}, {40, 60}}) {
                AttentionCase c({1, 4, 2, queries, keys, dim}, DataType::BFloat16, family);
                c.withLse();
                const auto truth = kernels::test::referenceAttention(c.problem);
                expectItsOwnError(c);
                for (std::size_t i = 0; i < truth.lse.size(); ++i)
                    ASSERT_NEAR(c.lse[i], truth.lse[i], 0.025) << c.name();
            }
        }
}

TEST_F(Sagev1OnGpu, WithoutSmoothingMakesTheErrorOfThatDefinition) {
    auto unsmoothed = definition();
    unsmoothed.centreKeys = false;
    for (const auto family : {Family::Normal, Family::KeyBias}) {
        AttentionCase c({1, 4, 2, 150, 211, 64}, DataType::BFloat16, family);
        c.problem.keySmoothing = kernels::KeySmoothing::None;
        expectItsOwnError(c, unsmoothed);
    }
}

TEST_F(Sagev1OnGpu, ValuesBeyondFp16DoNotOverflow) {
    AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::BFloat16);
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t i = 0; i < c.v.size() / 2; ++i)
        v[i] = kernels::bf16FromFloat(kernels::floatFromBf16(v[i]) * 1e6F);  // far above 65504
    expectItsOwnError(c);
}

TEST_F(Sagev1OnGpu, ScoresThatRiseOrFallAlongTheKeysKeepTheirWeights) {
    // The base of the weights lags behind the largest score.
    for (const std::int64_t dim : {64, 128})
        for (const float step : {0.005F, 0.05F, -0.005F, -0.05F}) {
            AttentionCase c({1, 1, 1, 70, 900, dim}, DataType::BFloat16);
            auto* q = reinterpret_cast<std::uint16_t*>(c.q.data());
            auto* k = reinterpret_cast<std::uint16_t*>(c.k.data());
            for (std::size_t i = 0; i < c.q.size() / 2; ++i) q[i] = kernels::bf16FromFloat(1);
            for (std::size_t i = 0; i < c.k.size() / 2; ++i)
                k[i] = kernels::bf16FromFloat(static_cast<float>(i / static_cast<std::size_t>(dim)) * step);
            expectItsOwnError(c);
        }
}

TEST_F(Sagev1OnGpu, ANanIsSeenInTheOutput) {
    for (const int which : {0, 1, 2}) {
        AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::BFloat16);
        auto& data = which == 0 ? c.q : which == 1 ? c.k : c.v;
        reinterpret_cast<std::uint16_t*>(data.data())[17 * 64 + 5] = 0x7FC0;
        EXPECT_TRUE(std::isnan(runOnGpu(backend(), c, gpu)[17 * 64 + 5])) << which;
    }
}

TEST_F(Sagev1OnGpu, AThousandLaunchesGiveTheSameBits) {
    for (const std::int64_t dim : {64, 128}) {
        const auto random_BHND = [&] {
            return at::randn({1, 1500, 4, dim}, at::TensorOptions().device(gpu.device))
                .to(at::kBFloat16)
                .transpose(1, 2);
        };
        const auto dispatcher = attention::makeDispatcher(attention::Policy("sagev1"), gpu).value();
        const attention::Inputs in{random_BHND(), random_BHND(), random_BHND(), {}};
        const attention::CallSite site{attention::ModuleKind::Self, 0};
        const at::Tensor first = dispatcher->attend(in, site);
        at::Tensor equal = at::ones({}, at::TensorOptions().device(gpu.device).dtype(at::kBool));
        for (int i = 0; i < 1000; ++i) equal = equal & (dispatcher->attend(in, site) == first).all();
        EXPECT_TRUE(equal.item<bool>());
        EXPECT_EQ(dispatcher->records().at(0).used, "sagev1");
    }
}

}  // namespace
}  // namespace reelgrid

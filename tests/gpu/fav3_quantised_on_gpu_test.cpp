// fav3_sage, sagev2 and fav3_fp8 on the GPU, by every kernel that the card can run: the error of their
// definitions in float64 (tests/kernels/attention/method_oracle.h) and no other. What a weight is relative
// to, and so how e4m3 rounds it, depends on the tiles of a kernel: beside the definition with exact weights
// stands the error that rounding them makes there.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "core/attention/make_dispatcher.h"
#include "kernels/attention/half_types.h"
#include "kernels/cuda/attention/attention_cuda.h"
#include "tests/gpu/case_on_gpu.h"
#include "tests/gpu/gpu.h"
#include "tests/kernels/attention/method_oracle.h"

namespace reelgrid {
namespace {

using kernels::DataType;
using kernels::Mask;
using kernels::test::AttentionCase;
using kernels::test::Family;
using kernels::test::Layout;
using kernels::test::Quantisation;

constexpr DataType kTypes[] = {DataType::BFloat16, DataType::Float16};

/// A backend and the kernels that run it: those that suit the card, or what REELGRID_GPU_KERNELS names.
struct Way {
    const char* backend;
    const char* kernels;    ///< "mma", "ampere" or null
    bool halfSums = false;  ///< sagev2's, of SageAttention 2++
};

class Fav3QuantisedOnGpu : public OnGpu, public testing::WithParamInterface<Way> {
  protected:
    void SetUp() override {
        if (const char* before = std::getenv(kKernels)) m_before = before;
        OnGpu::SetUp();
        if (IsSkipped()) return;
        if (GetParam().kernels != nullptr) ::setenv(kKernels, GetParam().kernels, 1);
        kernels::AttentionProblem problem;
        problem.device = kernels::Device::Cuda;
        problem.type = DataType::BFloat16;
        problem.queries = problem.keys = problem.headDim = 64;
        if (const auto why = kernels::whyNot(backend(), problem)) GTEST_SKIP() << *why;
        // fav3_fp8 needs products of e4m3; the others do without where there are none.
        m_hasE4m3 = !kernels::whyNot(*kernels::findBackend("fav3_fp8"), problem);
    }
    void TearDown() override {
        if (m_before)
            ::setenv(kKernels, m_before->c_str(), 1);
        else
            ::unsetenv(kKernels);
    }

    static const kernels::BackendInfo& backend() { return *kernels::findBackend(GetParam().backend); }
    static kernels::Method method() { return *backend().method; }
    [[nodiscard]] Quantisation definition(const kernels::AttentionProblem& problem) const {
        Quantisation defined = kernels::test::quantisationOf(method(), static_cast<int>(problem.headDim));
        if (!m_hasE4m3 && !kernels::cuda::isShort(method(), problem)) {  // P and V have the input's type
            defined.values = Quantisation::Values::Exact;
            defined.roundWeights = false;
            defined.weightOffset = 0;
        }
        if (GetParam().halfSums) defined.largestValue = 2.25F;
        return defined;
    }
    std::vector<double> attend(AttentionCase& c) const {
        static const kernels::OptionValue kHalfSums{"sum-bits", "16"};
        if (GetParam().halfSums) c.problem.context.options = {&kHalfSums, 1};
        return runOnGpu(backend(), c, gpu);
    }
    void expectItsOwnError(AttentionCase& c) const { expectItsOwnError(c, definition(c.problem)); }
    /// `rounding`: relative L1 that rounding the weights may cost; absent: what it costs the definition.
    void expectItsOwnError(AttentionCase& c, const Quantisation& method,
                           const std::optional<double>& rounding = {}) const {
        using namespace kernels::test;
        Quantisation withExactWeights = method;
        withExactWeights.roundWeights = false;
        const auto exact = quantisedAttention(c.problem, withExactWeights),
                   defined = quantisedAttention(c.problem, method);
        const auto out = attend(c);
        ASSERT_TRUE(allFinite(out)) << c.name();
        const double most = largest(defined);
        if (most == 0) {
            EXPECT_EQ(largest(out), 0) << c.name();
            return;
        }
        // A weight is off by at most a sixteenth, most by less: what is left of a row is seldom half of it.
        EXPECT_LE(maxError(out, exact), 0.06 * most) << c.name();
        // Over few values it scatters: each is a sum of roundings of its own.
        const double scatter = 0.08 / std::sqrt(static_cast<double>(out.size()));
        const double weights = rounding ? *rounding : relativeL1(defined, exact);
        EXPECT_LE(relativeL1(out, exact), 1.1 * weights + 0.012 + scatter) << c.name();
    }

  private:
    static constexpr const char* kKernels = "REELGRID_GPU_KERNELS";
    std::optional<std::string> m_before;
    bool m_hasE4m3 = true;
};
INSTANTIATE_TEST_SUITE_P(Ours, Fav3QuantisedOnGpu,
                         testing::Values(Way{"fav3_sage", nullptr}, Way{"fav3_fp8", nullptr},
                                         Way{"sagev2", nullptr}, Way{"fav3_sage", "mma"},
                                         Way{"fav3_fp8", "mma"}, Way{"sagev2", "mma"},
                                         Way{"sagev2", "mma", true}, Way{"fav3_sage", "ampere"},
                                         Way{"sagev2", "ampere"}),
                         [](const auto& each) {
                             const Way& way = each.param;
                             return std::string(way.backend) +
                                    (way.kernels == nullptr ? "" : "_" + std::string(way.kernels)) +
                                    (way.halfSums ? "_half_sums" : "");
                         });

TEST_P(Fav3QuantisedOnGpu, MakesTheErrorOfItsDefinitionAndNoOther) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : {64, 128, 40, 96, 8})
            for (const auto& [queries, keys] :
                 {std::pair{1, 1}, {239, 1}, {1, 203}, {113, 203}, {193, 96}, {192, 128}, {400, 700}}) {
                AttentionCase c({1, 2, 2, queries, keys, dim}, type);
                expectItsOwnError(c);
            }
}

TEST_P(Fav3QuantisedOnGpu, MakesTheErrorOfItsDefinitionOverShortSequences) {
    for (const std::int64_t dim : {8, 16, 40, 64, 80, 160, 256})
        for (const auto& [queries, keys] :
             {std::pair{1, 1}, {3, 2}, {14, 14}, {16, 16}, {17, 16}, {25, 25}, {120, 32}, {9, 61}, {64, 64}})
            for (const auto mask : {Mask::None, Mask::Causal}) {
                if (method() == kernels::Method::Flash3Fp8 && dim > 128 && keys > 32) continue;
                if (method() == kernels::Method::Sage2 && dim > 128) continue;
                std::vector<float> bias(static_cast<std::size_t>(keys));
                for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = 2 * std::sin(static_cast<float>(j));
                AttentionCase c({3, 6, 3, queries, keys, dim}, kTypes[keys % 2], Family::KeyBias,
                                Layout::TokensFirst, mask);
                if (queries > 15) c.problem.keyBias = bias.data();
                expectItsOwnError(c);
            }
}

TEST_P(Fav3QuantisedOnGpu, MakesTheErrorOfItsDefinitionOnEveryInputFamily) {
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

TEST_P(Fav3QuantisedOnGpu, TakesMasksBiasesBatchesAndSharedKeyHeads) {
    for (const auto layout : {Layout::HeadsFirst, Layout::TokensFirst})
        for (const std::int64_t dim : {64, 128})
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

TEST_P(Fav3QuantisedOnGpu, LogSumExpIsThatOfTheInputs) {
    for (const std::int64_t dim : {64, 128})
        for (const auto family : {Family::Normal, Family::KeyBias}) {
            if (family == Family::KeyBias && !kernels::traitsOf(method(), 128).centresKeys) continue;
            AttentionCase c({1, 4, 2, 200, 350, dim}, DataType::BFloat16, family);
            c.withLse();
            const auto truth = kernels::test::referenceAttention(c.problem);
            expectItsOwnError(c);
            for (std::size_t i = 0; i < truth.lse.size(); ++i)
                ASSERT_NEAR(c.lse[i], truth.lse[i], 0.04) << c.name();
        }
}

TEST_P(Fav3QuantisedOnGpu, WithoutSmoothingMakesTheErrorOfThatDefinition) {
    AttentionCase c({1, 4, 2, 150, 211, 64}, DataType::BFloat16);
    auto unsmoothed = definition(c.problem);
    unsmoothed.centreKeys = false;
    c.problem.keySmoothing = kernels::KeySmoothing::None;
    expectItsOwnError(c, unsmoothed);
}

TEST_P(Fav3QuantisedOnGpu, ScalesBelongToTheRowsOfTheDefinition) {
    // Rows eight apart differ in size alone: sagev2 gives them scales of their own, and keeps the small ones.
    for (const std::int64_t dim : {64, 128}) {
        AttentionCase c({1, 1, 1, 300, 333, dim}, DataType::BFloat16);
        const auto scaleRows = [&](std::vector<std::uint8_t>& data) {
            auto* x = reinterpret_cast<std::uint16_t*>(data.data());
            for (std::size_t i = 0; i < data.size() / 2; ++i) {
                const std::size_t row = i / static_cast<std::size_t>(dim);
                x[i] = kernels::bf16FromFloat(kernels::floatFromBf16(x[i]) *
                                              std::exp2(-static_cast<float>(row % 8)));
            }
        };
        scaleRows(c.q);
        scaleRows(c.k);
        expectItsOwnError(c);
    }
}

TEST_P(Fav3QuantisedOnGpu, RowsThatSeeNothingGiveZero) {
    std::vector<float> bias(300, -std::numeric_limits<float>::infinity());
    AttentionCase c({1, 2, 2, 300, 300, 64}, DataType::Float16);
    c.problem.keyBias = bias.data();
    c.withLse();
    EXPECT_EQ(kernels::test::largest(attend(c)), 0);
    for (const float lse : c.lse) ASSERT_EQ(lse, -std::numeric_limits<float>::infinity());
}

TEST_P(Fav3QuantisedOnGpu, AllZeroBlocksAndChannelsGiveNumbers) {
    AttentionCase c({1, 1, 1, 512, 448, 64}, DataType::BFloat16);
    auto* q = reinterpret_cast<std::uint16_t*>(c.q.data());
    auto* k = reinterpret_cast<std::uint16_t*>(c.k.data());
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    std::fill(q + 256 * 64, q + 512 * 64, std::uint16_t{0});
    std::fill(k + 128 * 64, k + 448 * 64, std::uint16_t{0});
    for (std::size_t n = 0; n < 448; ++n) v[n * 64 + 9] = 0;
    expectItsOwnError(c);
    const auto out = c.output();
    for (std::size_t n = 0; n < 512; ++n) ASSERT_EQ(out[n * 64 + 9], 0.0);
    std::fill(k, k + 448 * 64, kernels::bf16FromFloat(0.5F));  // all keys equal: zero after smoothing
    expectItsOwnError(c);
}

TEST_P(Fav3QuantisedOnGpu, ValuesBeyondFp16DoNotOverflow) {
    AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::BFloat16);
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t i = 0; i < c.v.size() / 2; ++i)
        v[i] = kernels::bf16FromFloat(kernels::floatFromBf16(v[i]) * 1e6F);  // far above 65504
    expectItsOwnError(c);
}

TEST_P(Fav3QuantisedOnGpu, ScoresThatRiseOrFallAlongTheKeysKeepTheirWeights) {
    // The base of the weights lags behind the largest score, and sums follow it. All rows are the same, and a
    // few weights, or many of keys that became the same code, make them: all are rounded up or all down, by
    // up to half a place of e4m3, and which it is depends on where a kernel's base lies between two powers of
    // two (over such bases the definition itself is off by 0 to 0.05).
    constexpr double kHalfPlace = 1.0 / 17;
    for (const std::int64_t dim : {64, 128})
        for (const float step : {0.0005F, 0.005F, 0.05F, -0.0005F, -0.005F, -0.05F}) {
            AttentionCase c({1, 1, 1, 70, 2500, dim}, DataType::BFloat16);
            auto* q = reinterpret_cast<std::uint16_t*>(c.q.data());
            auto* k = reinterpret_cast<std::uint16_t*>(c.k.data());
            for (std::size_t i = 0; i < c.q.size() / 2; ++i) q[i] = kernels::bf16FromFloat(1);
            for (std::size_t i = 0; i < c.k.size() / 2; ++i)
                k[i] = kernels::bf16FromFloat(static_cast<float>(i / static_cast<std::size_t>(dim)) * step);
            SCOPED_TRACE(step);
            expectItsOwnError(c, definition(c.problem), kHalfPlace);
        }
}

TEST_P(Fav3QuantisedOnGpu, LongSumsKeepTheirBits) {
    // The tensor cores drop bits of a sum that grows, of this one a fifth if they had it all: values with a
    // mean show it.
    AttentionCase c({1, 1, 1, 70, 16384, 64}, DataType::BFloat16);
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t i = 0; i < c.v.size() / 2; ++i)
        v[i] = kernels::bf16FromFloat(kernels::floatFromBf16(v[i]) + 4);
    const auto truth = kernels::test::referenceAttention(c.problem).out;
    EXPECT_LE(kernels::test::relativeL1(attend(c), truth), 0.012);
}

TEST_P(Fav3QuantisedOnGpu, ANanIsSeenInTheOutput) {
    for (const int which : {0, 1, 2}) {
        AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::BFloat16);
        auto& data = which == 0 ? c.q : which == 1 ? c.k : c.v;
        reinterpret_cast<std::uint16_t*>(data.data())[17 * 64 + 5] = 0x7FC0;
        EXPECT_TRUE(std::isnan(attend(c)[17 * 64 + 5])) << which;
    }
}

TEST_P(Fav3QuantisedOnGpu, ReachesTokensBeyondTwoToThe31Elements) {
    constexpr std::int64_t kTokens = 300'000, kWidth = 8192;
    const auto options = at::TensorOptions().device(gpu.device).dtype(at::kBFloat16);
    at::Tensor memory = at::zeros({1, kTokens, kWidth}, options);
    const auto rows = [&](std::int64_t first) { return memory.slice(2, first, first + 128).unsqueeze(1); };
    rows(0).normal_();
    rows(4096).normal_();
    const at::Tensor q = at::randn({1, 1, 70, 128}, options);
    const auto dispatcher = attention::makeDispatcher(attention::Policy(GetParam().backend), gpu).value();
    const auto attend = [&](const at::Tensor& k, const at::Tensor& v) {
        return dispatcher->attend({q, k, v, {}}, {attention::ModuleKind::Self, 0});
    };
    const at::Tensor out = attend(rows(0), rows(4096));
    EXPECT_TRUE(at::equal(out, attend(rows(0).contiguous(), rows(4096).contiguous())));
    EXPECT_GT(out.abs().max().item<double>(), 0);
    EXPECT_EQ(dispatcher->records().at(0).used, GetParam().backend);
}

TEST_P(Fav3QuantisedOnGpu, AThousandLaunchesGiveTheSameBits) {
    for (const std::int64_t dim : {64, 128}) {
        const auto random_BHND = [&] {
            return at::randn({1, 1500, 4, dim}, at::TensorOptions().device(gpu.device))
                .to(at::kBFloat16)
                .transpose(1, 2);
        };
        const auto dispatcher = attention::makeDispatcher(attention::Policy(GetParam().backend), gpu).value();
        const attention::Inputs in{random_BHND(), random_BHND(), random_BHND(), {}};
        const attention::CallSite site{attention::ModuleKind::Self, 0};
        const at::Tensor first = dispatcher->attend(in, site);
        at::Tensor equal = at::ones({}, at::TensorOptions().device(gpu.device).dtype(at::kBool));
        for (int i = 0; i < 1000; ++i) equal = equal & (dispatcher->attend(in, site) == first).all();
        EXPECT_TRUE(equal.item<bool>());
        EXPECT_EQ(dispatcher->records().at(0).used, GetParam().backend);
    }
}

}  // namespace
}  // namespace reelgrid

#include "kernels/cpu/transformer/fused.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels::transformer {
namespace {

struct Case {
    InstructionSet isa;
    at::ScalarType dtype;
};

/// Every function against libtorch's formula in float64, on each instruction set.
class TransformerFused : public test::OnInstructionSet, public testing::WithParamInterface<Case> {
  protected:
    void SetUp() override {
        forceOrSkip(GetParam().isa);
        at::manual_seed(5);
    }

    static at::Tensor random(at::IntArrayRef shape, at::ScalarType dtype = at::kFloat) {
        return at::randn(shape).to(dtype);
    }
    template <class Work>
    static void withType(const Work& work) {
        if (GetParam().dtype == at::kFloat)
            work(static_cast<float*>(nullptr));
        else
            work(static_cast<BFloat16*>(nullptr));
    }
    template <class T>
    static T* data(const at::Tensor& x) {
        return static_cast<T*>(x.data_ptr());
    }
    /// Within one rounding of the output's dtype, relative to each value and to the largest.
    static void expectClose(const at::Tensor& actual, const at::Tensor& exact) {
        const bool isFp32 = actual.scalar_type() == at::kFloat;
        const double relative = isFp32 ? 2e-6 : 4.0e-3, absolute = isFp32 ? 2e-6 : 1e-5;
        const at::Tensor allowed = exact.abs() * relative + exact.abs().max() * absolute;
        const at::Tensor excess = ((actual.to(at::kDouble) - exact).abs() - allowed).max();
        EXPECT_LE(excess.item<double>(), 0) << "largest value " << exact.abs().max().item<double>();
    }
};

constexpr float kEps = 1e-6F;

TEST_P(TransformerFused, AddThenNormEqualsTheFormula) {
    for (const std::int64_t channels : {1, 2, 7, 16, 33, 48, 384, 1000})
        for (const std::int64_t count : {1, 3, 129}) {
            const at::Tensor before = random({count, channels}) * 3 + 1;
            const at::Tensor y = random({count, channels}, GetParam().dtype);
            const at::Tensor gate = random({channels}), weight = random({channels}),
                             bias = random({channels});
            at::Tensor x = before.clone(), out = at::empty_like(y);
            withType([&]<class T>(T*) {
                addThenNorm({count, channels, kEps}, x.data_ptr<float>(), data<T>(y), gate.data_ptr<float>(),
                            weight.data_ptr<float>(), bias.data_ptr<float>(), data<T>(out));
            });
            const at::Tensor sum = before.to(at::kDouble) + y.to(at::kDouble) * gate.to(at::kDouble);
            expectClose(x, sum);
            // One channel minus its mean is rounding noise alone.
            if (channels == 1) continue;
            expectClose(out, at::layer_norm(x.to(at::kDouble), {channels}, weight.to(at::kDouble),
                                            bias.to(at::kDouble), kEps));
        }
}

TEST_P(TransformerFused, AddAndNormEachWorkAlone) {
    const at::Tensor before = random({5, 40}), y = random({5, 40}, GetParam().dtype);
    const at::Tensor weight = random({40}), bias = random({40});
    at::Tensor added = before.clone(), kept = before.clone(), out = at::empty_like(y);
    withType([&]<class T>(T*) {
        addThenNorm({5, 40, kEps}, added.data_ptr<float>(), data<T>(y), nullptr, nullptr, nullptr,
                    static_cast<T*>(nullptr));
        addThenNorm({5, 40, kEps}, kept.data_ptr<float>(), static_cast<const T*>(nullptr), nullptr,
                    weight.data_ptr<float>(), bias.data_ptr<float>(), data<T>(out));
    });
    expectClose(added, before.to(at::kDouble) + y.to(at::kDouble));
    EXPECT_TRUE(at::equal(kept, before));
    expectClose(out, at::layer_norm(before.to(at::kDouble), {40}, weight.to(at::kDouble),
                                    bias.to(at::kDouble), kEps));
}

TEST_P(TransformerFused, RmsNormRotateEqualsTheFormulaOnStridedRows) {
    for (const auto& [heads, headDim] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 6}, {2, 24}, {3, 128}, {5, 34}}) {
        const std::int64_t tokens = 9, batch = 2, channels = heads * headDim, pairs = headDim / 2;
        // A slice in the middle of joined channels, as keys lie between queries and values.
        const at::Tensor joined = random({batch * tokens, 3 * channels}, GetParam().dtype) * 4;
        const at::Tensor untouched = joined.clone();
        const at::Tensor x = joined.narrow(1, channels, channels);
        const at::Tensor weight = random({channels}), angles = random({tokens, pairs});
        const at::Tensor cos = angles.cos(), sin = angles.sin();
        withType([&]<class T>(T*) {
            rmsNormRotate({batch * tokens, channels, kEps}, data<T>(x), x.stride(0), weight.data_ptr<float>(),
                          {cos.data_ptr<float>(), sin.data_ptr<float>(), tokens, headDim});
        });

        const at::Tensor from = untouched.narrow(1, channels, channels).to(at::kDouble);
        const at::Tensor normed =
            from * at::rsqrt(from.square().mean(-1, true) + kEps) * weight.to(at::kDouble);
        const at::Tensor even = normed.view({batch, tokens, heads, pairs, 2}).select(-1, 0);
        const at::Tensor odd = normed.view({batch, tokens, heads, pairs, 2}).select(-1, 1);
        const at::Tensor c = cos.to(at::kDouble).unsqueeze(1), s = sin.to(at::kDouble).unsqueeze(1);
        expectClose(x,
                    at::stack({even * c - odd * s, even * s + odd * c}, -1).view({batch * tokens, channels}));
        for (const std::int64_t other : {0, 2})
            EXPECT_TRUE(at::equal(joined.narrow(1, other * channels, channels),
                                  untouched.narrow(1, other * channels, channels)));
    }
}

TEST_P(TransformerFused, RmsNormAloneEqualsTheFormula) {
    const at::Tensor x = random({4, 37}, GetParam().dtype), weight = random({37});
    const at::Tensor from = x.to(at::kDouble);
    withType([&]<class T>(T*) {
        rmsNormRotate({4, 37, kEps}, data<T>(x), 37, weight.data_ptr<float>(), {});
    });
    expectClose(x, from * at::rsqrt(from.square().mean(-1, true) + kEps) * weight.to(at::kDouble));
}

TEST_P(TransformerFused, HeadNormRotateEqualsTheFormulaOnStridedRows) {
    for (const auto& [heads, headDim] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 6}, {2, 24}, {6, 64}, {3, 128}, {5, 34}}) {
        const std::int64_t tokens = 9, first = 4, batch = 2, channels = heads * headDim, pairs = headDim / 2;
        // A slice in the middle of joined channels, as keys lie between queries and values.
        const at::Tensor joined = random({batch * tokens, 3 * channels}, GetParam().dtype) * 4 + 1;
        const at::Tensor weight = random({headDim}), bias = random({headDim});
        const at::Tensor angles = random({tokens - first, pairs});
        const at::Tensor cosSin = at::stack({angles.cos(), angles.sin()}, -1);
        for (const bool turned : {false, true}) {
            const at::Tensor all = joined.clone(), x = all.narrow(1, channels, channels);
            PairRotation rotation;
            if (turned) rotation = {cosSin.data_ptr<float>(), tokens, first};
            withType([&]<class T>(T*) {
                headNormRotate({batch * tokens, channels, kEps}, data<T>(x), x.stride(0), headDim,
                               weight.data_ptr<float>(), bias.data_ptr<float>(), rotation);
            });
            const at::Tensor from = joined.narrow(1, channels, channels).to(at::kDouble);
            at::Tensor exact = at::layer_norm(from.view({batch, tokens, heads, headDim}), {headDim},
                                              weight.to(at::kDouble), bias.to(at::kDouble), kEps);
            if (turned) {
                const at::Tensor video = exact.narrow(1, first, tokens - first);
                const at::Tensor even = video.unflatten(-1, {pairs, 2}).select(-1, 0).clone();
                const at::Tensor odd = video.unflatten(-1, {pairs, 2}).select(-1, 1).clone();
                const at::Tensor c = cosSin.select(-1, 0).to(at::kDouble).unsqueeze(1);
                const at::Tensor s = cosSin.select(-1, 1).to(at::kDouble).unsqueeze(1);
                video.copy_(at::stack({even * c - odd * s, even * s + odd * c}, -1).flatten(-2));
            }
            expectClose(x, exact.view({batch * tokens, channels}));
            for (const std::int64_t other : {0, 2})
                EXPECT_TRUE(at::equal(all.narrow(1, other * channels, channels),
                                      joined.narrow(1, other * channels, channels)));
        }
    }
}

TEST_P(TransformerFused, GeluEqualsTheFormulaOverTheWholeRange) {
    for (const std::int64_t count : {1, 15, 8193, 70001}) {
        const at::Tensor x =
            at::cat({at::linspace(-12, 12, count), at::tensor({0.0F, 1e4F, -1e4F, 1e-20F, 3e38F, -3e38F})})
                .to(GetParam().dtype);
        const at::Tensor from = x.to(at::kDouble);
        withType([&]<class T>(T*) { geluTanh(data<T>(x), x.numel()); });
        const at::Tensor exact = at::gelu(from, "tanh");
        const double rounding = GetParam().dtype == at::kFloat ? 1e-6 : 4e-3;
        const at::Tensor allowed = exact.abs() * rounding + (from.abs() + 1) * 1e-6;
        EXPECT_LE(((x.to(at::kDouble) - exact).abs() / allowed).max().item<double>(), 1);
    }
}

TEST_P(TransformerFused, NotANumberStaysOne) {
    const at::Tensor x =
        at::full({3}, std::numeric_limits<double>::quiet_NaN(), at::kFloat).to(GetParam().dtype);
    withType([&]<class T>(T*) { geluTanh(data<T>(x), 3); });
    EXPECT_TRUE(at::isnan(x).all().item<bool>());
}

/// The bits of a row's norm: the order of its sums is that of the registers' width.
at::Tensor normOn(const std::string& set) {
    const test::ForcedInstructionSet forced(set);
    at::manual_seed(5);
    const at::Tensor x = at::randn({7, 1000}), weight = at::randn({1000});
    rmsNormRotate({7, 1000, kEps}, x.data_ptr<float>(), 1000, weight.data_ptr<float>(), {});
    return x;
}

TEST(TransformerFusedSelection, ForcingChangesTheCodeThatRuns) {
    if (const std::string why = test::whyLacking(InstructionSet::Avx2); !why.empty()) GTEST_SKIP() << why;
    EXPECT_FALSE(at::equal(normOn("scalar"), normOn("avx2")));
    if (const std::string why = test::whyLacking(InstructionSet::Avx512); !why.empty()) GTEST_SKIP() << why;
    EXPECT_FALSE(at::equal(normOn("avx2"), normOn("avx512")));
}

TEST(TransformerFusedSelection, AmxIsItsAvx512Sources) {
    if (const std::string why = test::whyLacking(InstructionSet::Amx); !why.empty()) GTEST_SKIP() << why;
    EXPECT_TRUE(at::equal(normOn("amx"), normOn("avx512")));
}

TEST(TransformerFusedSelection, RefusesWhatIsNoInstructionSet) {
    EXPECT_THROW(normOn("avx9"), std::runtime_error);
    if (test::whyLacking(InstructionSet::Amx).empty()) return;
    EXPECT_THROW(normOn("amx"), std::runtime_error);
}

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const auto isa : test::kInstructionSets)
        for (const auto dtype : {at::kFloat, at::kBFloat16}) cases.push_back({isa, dtype});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Sets, TransformerFused, testing::ValuesIn(allCases()), [](const auto& testCase) {
    return std::string(nameOf(testCase.param.isa)) + (testCase.param.dtype == at::kFloat ? "_fp32" : "_bf16");
});

}  // namespace
}  // namespace reelgrid::kernels::transformer

// Our attention kernels on the GPU against float64. Shape legend: B batch, H heads, N query tokens, M key
// tokens, D head dim.

#include <ATen/ATen.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "core/attention/attention_problem.h"
#include "core/attention/make_dispatcher.h"
#include "kernels/backends/backend_list.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
    std::int64_t batch = 1, heads = 2, keyHeads = 2, queries = 0, keys = 0, headDim = 0;
    at::ScalarType type = at::kBFloat16;
    kernels::Mask mask = kernels::Mask::None;
    bool hasKeyBias = false;

    [[nodiscard]] std::string name() const {
        return std::to_string(batch) + "×" + std::to_string(heads) + "/" + std::to_string(keyHeads) + "×" +
               std::to_string(queries) + "/" + std::to_string(keys) + "×" + std::to_string(headDim) +
               (mask == kernels::Mask::Causal ? " causal" : "") + (hasKeyBias ? " bias " : " ") +
               at::toString(type);
    }
};

struct Truth {
    at::Tensor out_BHND, lse_BHN;
};

class AttentionKernels : public OnGpu, public testing::WithParamInterface<const char*> {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        at::manual_seed(7);
        const at::Tensor x = random(1, 8, 1, 64, at::kHalf);
        kernels::AttentionProblem problem = problemFor(x, x, x);
        if (const auto why = kernels::whyNot(backend(), problem)) GTEST_SKIP() << *why;
    }

    static const kernels::BackendInfo& backend() { return *kernels::findBackend(GetParam()); }
    [[nodiscard]] at::TensorOptions options(at::ScalarType type) const {
        return at::TensorOptions().device(gpu.device).dtype(type);
    }
    [[nodiscard]] at::Tensor random(std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t d,
                                    at::ScalarType type) const {
        return at::randn({b, n, h, d}, options(at::kFloat)).to(type).transpose(1, 2);
    }
    [[nodiscard]] kernels::AttentionProblem problemFor(const at::Tensor& q, const at::Tensor& k,
                                                       const at::Tensor& v) const {
        kernels::AttentionProblem problem = problemOf(q, k, v);
        problem.device = kernels::Device::Cuda;
        problem.stream = gpu.stream();
        return problem;
    }
    [[nodiscard]] at::Tensor run(kernels::AttentionProblem problem, const at::Tensor& q) const {
        at::Tensor out_BHND = outputOf(problem, q);
        out_BHND.fill_(std::numeric_limits<float>::quiet_NaN());
        EXPECT_EQ(kernels::whyNot(backend(), problem), std::nullopt);
        kernels::run(backend(), problem);
        return out_BHND;
    }

    /// softmax(scale q kᵀ + bias) v in `type`, as plain code has it.
    static Truth plain(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, at::ScalarType type,
                       kernels::Mask mask = kernels::Mask::None, const at::Tensor& bias_M = {}) {
        const std::int64_t group = q.size(1) / k.size(1), n = q.size(2), m = k.size(2);
        const at::Tensor keys = k.to(type).repeat_interleave(group, 1),
                         values = v.to(type).repeat_interleave(group, 1);
        at::Tensor scores =
            at::matmul(q.to(type), keys.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(3)));
        if (bias_M.defined()) scores = scores + bias_M.to(type);
        if (mask == kernels::Mask::Causal) {
            const at::Tensor hidden = at::ones({n, m}, q.options().dtype(at::kBool)).triu(m - n + 1);
            scores = scores.masked_fill(hidden, -kInfinity);
        }
        return {at::matmul(at::softmax(scores, -1).nan_to_num(0.0), values),
                at::logsumexp(scores.to(at::kDouble), -1)};
    }

    /// FlashAttention's own criterion: at most twice the error of plain code in the same type, and a
    /// rounding.
    void expectAsGoodAsPlainCode(const Case& c) const {
        const at::Tensor q = random(c.batch, c.queries, c.heads, c.headDim, c.type),
                         k = random(c.batch, c.keys, c.keyHeads, c.headDim, c.type),
                         v = random(c.batch, c.keys, c.keyHeads, c.headDim, c.type);
        at::Tensor bias_M;
        if (c.hasKeyBias) {
            bias_M = at::randn({c.keys}, options(at::kFloat));
            if (c.keys > 1) bias_M[c.keys / 2] = -kInfinity;
        }
        expectAsGoodAsPlainCode(q, k, v, c, bias_M);
    }
    void expectAsGoodAsPlainCode(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Case& c,
                                 const at::Tensor& bias_M = {}) const {
        const Truth truth = plain(q, k, v, at::kDouble, c.mask, bias_M);
        const auto farthest = [&](const at::Tensor& x) {
            return (x.to(at::kDouble) - truth.out_BHND).abs().max().item<double>();
        };
        const double rounding = c.type == at::kHalf ? 1.0 / 1024 : 1.0 / 128;
        const double allowed = 2 * farthest(plain(q, k, v, c.type, c.mask, bias_M).out_BHND) +
                               rounding * truth.out_BHND.abs().max().item<double>();
        kernels::AttentionProblem problem = problemFor(q, k, v);
        problem.mask = c.mask;
        at::Tensor lse_BHN = at::full({q.size(0), q.size(1), q.size(2)},
                                      std::numeric_limits<float>::quiet_NaN(), options(at::kFloat));
        problem.lse = lse_BHN.data_ptr<float>();
        if (bias_M.defined()) problem.keyBias = bias_M.const_data_ptr<float>();
        const at::Tensor out = run(problem, q);
        EXPECT_TRUE(out.isfinite().all().item<bool>()) << c.name();
        EXPECT_LE(farthest(out), allowed) << c.name();
        const at::Tensor seen = truth.lse_BHN.isfinite();
        EXPECT_TRUE((lse_BHN.isfinite() == seen).all().item<bool>()) << c.name();
        const at::Tensor error = at::where(seen, lse_BHN.to(at::kDouble) - truth.lse_BHN, 0.0).abs();
        EXPECT_LT(error.max().item<double>(), 2e-5) << c.name();
    }
    /// Scores rise or fall along 1000 keys, from -reach to reach in each channel.
    void expectExactOverARamp(std::int64_t queries, std::int64_t dim, double reach) const {
        const at::Tensor q = at::ones({1, 1, queries, dim}, options(at::kBFloat16)),
                         v = random(1, 1000, 1, dim, at::kBFloat16);
        const at::Tensor ramp = at::linspace(-reach, reach, 1000, options(at::kFloat)).view({1, 1, 1000, 1});
        const at::Tensor k = ramp.expand({1, 1, 1000, dim}).to(at::kBFloat16).contiguous();
        const at::Tensor out = run(problemFor(q, k, v), q);
        EXPECT_LT(relativeError(out, plain(q, k, v, at::kDouble).out_BHND), 1e-2) << reach;
    }
};
INSTANTIATE_TEST_SUITE_P(Ours, AttentionKernels, testing::Values("fav2", "fav3"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(AttentionKernels, AreAsExactAsPlainCodeOverOddLengthsAndHeadDims) {
    for (const auto type : {at::kBFloat16, at::kHalf})
        for (const std::int64_t dim : {8, 40, 64, 72, 80, 96, 128, 136, 160, 192, 256})
            for (const auto& [queries, keys] :
                 {std::pair{1, 1}, {239, 1}, {799, 3}, {113, 203}, {192, 80}, {193, 129}, {1023, 1024}})
                expectAsGoodAsPlainCode({.queries = queries, .keys = keys, .headDim = dim, .type = type});
    expectAsGoodAsPlainCode({.heads = 1, .keyHeads = 1, .queries = 4224, .keys = 4224, .headDim = 128});
}

TEST_P(AttentionKernels, TakeMasksBiasesBatchesAndSharedKeyHeads) {
    for (const std::int64_t dim : {40, 64, 80, 128, 160, 256})
        for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal})
            for (const bool hasKeyBias : {false, true})
                for (const auto& [queries, keys] : {std::pair{150, 150}, {203, 113}, {113, 703}, {300, 1}})
                    expectAsGoodAsPlainCode({.batch = 2,
                                             .heads = 6,
                                             .keyHeads = keys % 2 == 0 ? 6 : 3,
                                             .queries = queries,
                                             .keys = keys,
                                             .headDim = dim,
                                             .mask = mask,
                                             .hasKeyBias = hasKeyBias});
}

TEST_P(AttentionKernels, TakeShortSequencesOfEveryLength) {
    for (const std::int64_t dim : {8, 40, 64, 72, 80, 160, 256})
        for (const auto& [queries, keys] : {std::pair{1, 1},
                                            {2, 2},
                                            {14, 14},
                                            {16, 16},
                                            {17, 17},
                                            {25, 25},
                                            {32, 32},
                                            {33, 33},
                                            {64, 64},
                                            {100, 40},
                                            {9, 61},
                                            {300, 7}})
            for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal})
                for (const bool hasKeyBias : {false, true})
                    expectAsGoodAsPlainCode({.batch = 5,
                                             .heads = 6,
                                             .keyHeads = hasKeyBias ? 3 : 6,
                                             .queries = queries,
                                             .keys = keys,
                                             .headDim = dim,
                                             .type = dim % 16 == 0 ? at::kBFloat16 : at::kHalf,
                                             .mask = mask,
                                             .hasKeyBias = hasKeyBias});
}

TEST_P(AttentionKernels, TakeManyShortSequencesWhereverTheirTokensLie) {
    // Frames first, as a video's latents are: a sequence's tokens lie far apart, its neighbours beside them.
    const at::Tensor packed = at::randn({16, 3000, 3, 8, 40}, options(at::kFloat)).to(at::kHalf);
    const auto part = [&](int i) { return packed.select(2, i).permute({1, 2, 0, 3}); };
    const Case c{.batch = 3000,
                 .heads = 8,
                 .keyHeads = 8,
                 .queries = 16,
                 .keys = 16,
                 .headDim = 40,
                 .type = at::kHalf};
    expectAsGoodAsPlainCode(part(0), part(1), part(2), c);
}

TEST_P(AttentionKernels, ReadEveryLayoutOfRows) {
    for (const std::int64_t dim : {64, 128, 160}) {
        const Case c{.heads = 3, .queries = 200, .keys = 200, .headDim = dim};
        const at::Tensor packed = at::randn({2, 200, 3, 3, dim}, options(at::kFloat)).to(at::kBFloat16);
        const auto part = [&](int i) { return packed.select(2, i).transpose(1, 2); };
        expectAsGoodAsPlainCode(part(0), part(1), part(2), c);
        expectAsGoodAsPlainCode(part(0).contiguous(), part(1).contiguous(), part(2), c);
    }
}

TEST_P(AttentionKernels, ScoresThatRiseOrFallAlongTheKeysAreExact) {
    // The base of the weights lags behind the largest score: steps above and below what it tolerates.
    for (const std::int64_t dim : {48, 64, 80, 128, 160, 192, 256})
        for (const double reach : {0.05, 1.0, 40.0, -0.05, -1.0, -40.0}) expectExactOverARamp(70, dim, reach);
}

TEST_P(AttentionKernels, RowsThatSeeNothingGiveZero) {
    const at::Tensor x = random(1, 300, 2, 64, at::kHalf);
    const at::Tensor bias_M = at::full({300}, -kInfinity, options(at::kFloat));
    at::Tensor lse = at::zeros({1, 2, 300}, options(at::kFloat));
    kernels::AttentionProblem problem = problemFor(x, x, x);
    problem.keyBias = bias_M.const_data_ptr<float>();
    problem.lse = lse.data_ptr<float>();
    EXPECT_TRUE((run(problem, x) == 0).all().item<bool>());
    EXPECT_TRUE((lse == -kInfinity).all().item<bool>());
}

TEST_P(AttentionKernels, ANanStaysInItsRowAndNothingIsWrittenBesideTheOutput) {
    for (const std::int64_t dim : {48, 64, 80, 128, 160, 192, 256}) {
        at::Tensor q = random(1, 130, 1, dim, at::kBFloat16).contiguous();
        q[0][0][5][3] = std::numeric_limits<float>::quiet_NaN();
        const at::Tensor k = random(1, 170, 1, dim, at::kBFloat16);
        kernels::AttentionProblem problem = problemFor(q, k, k);
        const at::Tensor wide = at::full({1, 1, 133, dim + 8}, 7.0, options(at::kBFloat16));
        problem.out = wide.data_ptr();
        problem.outStrides = {.batch = wide.stride(0), .head = wide.stride(1), .token = wide.stride(2)};
        kernels::run(backend(), problem);
        const at::Tensor isNan = wide.isnan();
        EXPECT_TRUE(isNan[0][0][5].slice(0, 0, dim).all().item<bool>());
        EXPECT_EQ(isNan.sum().item<std::int64_t>(), dim);
        EXPECT_TRUE((wide.slice(2, 130) == 7).all().item<bool>());
        EXPECT_TRUE((wide.slice(3, dim) == 7).all().item<bool>());
    }
}

TEST_P(AttentionKernels, AThousandLaunchesGiveTheSameBits) {
    for (const std::int64_t dim : {48, 64, 80, 128, 160, 192, 256}) {
        const at::Tensor q = random(1, 1500, 4, dim, at::kBFloat16),
                         k = random(1, 1500, 4, dim, at::kBFloat16);
        const at::Tensor first = run(problemFor(q, k, k), q);
        at::Tensor equal = at::ones({}, options(at::kBool));
        for (int i = 0; i < 1000; ++i) equal = equal & (run(problemFor(q, k, k), q) == first).all();
        EXPECT_TRUE(equal.item<bool>());
    }
}

TEST_P(AttentionKernels, ReachTokensBeyondTwoToThe31Elements) {
    constexpr std::int64_t kTokens = 300'000, kWidth = 8192;
    at::Tensor memory = at::zeros({1, kTokens, kWidth}, options(at::kBFloat16));
    const auto rows = [&](std::int64_t first) { return memory.slice(2, first, first + 128).unsqueeze(1); };
    const at::Tensor k = rows(0), v = rows(4096);
    k.normal_();
    v.normal_();
    const at::Tensor q = random(1, 70, 1, 128, at::kBFloat16);
    EXPECT_LT(relativeError(run(problemFor(q, k, v), q), plain(q, k, v, at::kDouble).out_BHND), 2e-2);

    const at::Tensor few = random(1, 90, 1, 128, at::kBFloat16), out = rows(1024),
                     ends = k.slice(2, kTokens - 99);
    kernels::AttentionProblem problem = problemFor(k, few, few);
    problem.out = out.data_ptr();
    problem.outStrides = {.batch = out.stride(0), .head = out.stride(1), .token = out.stride(2)};
    kernels::run(backend(), problem);
    EXPECT_LT(relativeError(out.slice(2, kTokens - 99), plain(ends, few, few, at::kDouble).out_BHND), 2e-2);
}

TEST_P(AttentionKernels, RunUnderTheirNamesAndLeaveTheRestToSdpa) {
    const auto dispatcher = makeDispatcher(Policy(GetParam()), gpu).value();
    const at::Tensor x = random(1, 257, 4, 128, at::kBFloat16), wide = random(1, 90, 2, 264, at::kHalf);
    const at::Tensor out = dispatcher->attend({x, x, x, {}}, {ModuleKind::Self, 0});
    EXPECT_TRUE(out.transpose(1, 2).is_contiguous());
    EXPECT_LT(relativeError(out, plain(x, x, x, at::kDouble).out_BHND), 2e-2);
    dispatcher->attend({wide, wide, wide, {}}, {ModuleKind::Self, 0});
    EXPECT_EQ(dispatcher->records().at(0).used, GetParam());
    EXPECT_EQ(dispatcher->records().at(1).used, "sdpa");
    EXPECT_EQ(dispatcher->records().at(1).why, std::string(GetParam()) + ": head dim 264, needs 1 to 256");
}

/// What a GPU of compute capability 7.5 runs, on this one.
class TuringsKernels : public AttentionKernels {
  protected:
    void SetUp() override {
        setenv("REELGRID_GPU_KERNELS", "turing", 1);
        AttentionKernels::SetUp();
    }
    void TearDown() override { unsetenv("REELGRID_GPU_KERNELS"); }
};
INSTANTIATE_TEST_SUITE_P(Ours, TuringsKernels, testing::Values("fav2"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(TuringsKernels, AreAsGoodAsPlainCodeInFp16) {
    for (const std::int64_t dim : {8, 40, 64, 80, 96, 128, 160, 192})
        for (const auto& [queries, keys] : {std::pair{1, 1}, {113, 203}, {300, 700}, {14, 14}})
            for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal})
                expectAsGoodAsPlainCode({.batch = 2,
                                         .heads = 4,
                                         .keyHeads = 2,
                                         .queries = queries,
                                         .keys = keys,
                                         .headDim = dim,
                                         .type = at::kHalf,
                                         .mask = mask,
                                         .hasKeyBias = queries > 100});
}

TEST_P(TuringsKernels, SayWhatTheyDoNotTake) {
    const auto why = [&](const char* name, at::ScalarType type, std::int64_t dim) {
        const at::Tensor x = random(1, 100, 1, dim, type);
        return kernels::whyNot(*kernels::findBackend(name), problemFor(x, x, x)).value_or("");
    };
    EXPECT_EQ(why("fav2", at::kBFloat16, 64), "fav2: dtype bf16, needs fp16 on compute capability 7.5");
    EXPECT_EQ(why("fav2", at::kHalf, 200), "fav2: head dim 200, needs at most 192 on compute capability 7.5");
    EXPECT_EQ(why("sagev1", at::kHalf, 64), "sagev1: compute capability 7.5, needs 8.0");
}

/// What compute capability 10.0 and 10.3 run where it is asked for. These cases were never run: nobody had
/// such a card.
class TensorMemoryKernels : public AttentionKernels {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        if (const char* before = std::getenv(kKernels)) m_before = before;
        unsetenv(kKernels);
        const at::Tensor x = random(1, 8, 1, 64, at::kHalf);
        const std::string why = kernels::whyNot(backend(), problemFor(x, x, x)).value_or("");
        if (why.find("tcgen05") == std::string::npos)
            GTEST_SKIP() << "tensor memory, needs a GPU of compute capability 10.0 or 10.3";
        setenv(kKernels, "tcgen05", 1);
        at::manual_seed(7);
    }
    void TearDown() override {
        if (m_before)
            setenv(kKernels, m_before->c_str(), 1);
        else
            unsetenv(kKernels);
    }

  private:
    static constexpr const char* kKernels = "REELGRID_GPU_KERNELS";
    std::optional<std::string> m_before;
};
INSTANTIATE_TEST_SUITE_P(Ours, TensorMemoryKernels, testing::Values("fav3"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(TensorMemoryKernels, AreAsExactAsPlainCodeOverOddLengthsAndHeadDims) {
    for (const auto type : {at::kBFloat16, at::kHalf})
        for (const std::int64_t dim : {8, 40, 64, 72, 128})
            for (const auto& [queries, keys] : {std::pair{1, 65},
                                                {128, 128},
                                                {129, 129},
                                                {255, 257},
                                                {256, 640},
                                                {257, 1024},
                                                {1023, 1601}})
                expectAsGoodAsPlainCode({.queries = queries, .keys = keys, .headDim = dim, .type = type});
    expectAsGoodAsPlainCode({.heads = 1, .keyHeads = 1, .queries = 4224, .keys = 4224, .headDim = 128});
}

TEST_P(TensorMemoryKernels, TakeMasksBiasesBatchesAndSharedKeyHeads) {
    for (const std::int64_t dim : {40, 64, 128})
        for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal})
            for (const bool hasKeyBias : {false, true})
                for (const auto& [queries, keys] :
                     {std::pair{150, 150}, {700, 113}, {113, 703}, {515, 515}, {256, 128}})
                    expectAsGoodAsPlainCode({.batch = 2,
                                             .heads = 6,
                                             .keyHeads = keys % 2 == 0 ? 6 : 3,
                                             .queries = queries,
                                             .keys = keys,
                                             .headDim = dim,
                                             .mask = mask,
                                             .hasKeyBias = hasKeyBias});
}

TEST_P(TensorMemoryKernels, ScoresThatRiseOrFallAlongTheKeysAreExact) {
    for (const std::int64_t dim : {64, 128})
        for (const double reach : {0.05, 1.0, 40.0, -0.05, -1.0, -40.0})
            expectExactOverARamp(300, dim, reach);
}

TEST_P(TensorMemoryKernels, WriteNothingBesideTheOutputAndGiveTheSameBitsEachTime) {
    for (const std::int64_t dim : {56, 64, 120, 128}) {
        at::Tensor q = random(1, 1500, 4, dim, at::kBFloat16);
        q[0][1][5][3] = std::numeric_limits<float>::quiet_NaN();
        const at::Tensor k = random(1, 1500, 4, dim, at::kBFloat16),
                         wide = at::full({1, 4, 1503, dim + 8}, 7.0, options(at::kBFloat16));
        kernels::AttentionProblem problem = problemFor(q, k, k);
        problem.out = wide.data_ptr();
        problem.outStrides = {.batch = wide.stride(0), .head = wide.stride(1), .token = wide.stride(2)};
        kernels::run(backend(), problem);
        const at::Tensor first = wide.clone(), isNan = first.isnan();
        EXPECT_TRUE(isNan[0][1][5].slice(0, 0, dim).all().item<bool>());
        EXPECT_EQ(isNan.sum().item<std::int64_t>(), dim);
        EXPECT_TRUE((first.slice(2, 1500) == 7).all().item<bool>());
        EXPECT_TRUE((first.slice(3, dim) == 7).all().item<bool>());
        at::Tensor equal = at::ones({}, options(at::kBool));
        for (int i = 0; i < 300; ++i) {
            kernels::run(backend(), problem);
            equal = equal & ((wide == first) | isNan).all();
        }
        EXPECT_TRUE(equal.item<bool>());
    }
}

TEST_P(TensorMemoryKernels, SayWhichHeadDimsTheyTake) {
    const at::Tensor x = random(1, 100, 1, 136, at::kHalf);
    EXPECT_EQ(kernels::whyNot(backend(), problemFor(x, x, x)).value_or(""),
              "fav3: head dim 136, needs at most 128 by tcgen05");
}

}  // namespace
}  // namespace reelgrid::attention

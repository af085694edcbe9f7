// sla and sagesla on the GPU against their definitions in float64 (tests/kernels/attention/method_oracle.h).

#include <cmath>
#include <cstdlib>
#include <random>

#include "core/attention/attention_problem.h"
#include "core/attention/make_dispatcher.h"
#include "kernels/attention/half_types.h"
#include "kernels/cuda/attention/attention_cuda.h"
#include "tests/gpu/case_on_gpu.h"
#include "tests/gpu/gpu.h"
#include "tests/kernels/attention/method_oracle.h"
#include "tests/kernels/attention/reference.h"

namespace reelgrid {
namespace {

using kernels::DataType;
using kernels::test::AttentionCase;

constexpr DataType kTypes[] = {DataType::BFloat16, DataType::Float16};
constexpr std::int64_t kHeadDims[] = {64, 128, 40, 96};

std::vector<float> random(std::int64_t count, float deviation) {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal(0, deviation);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& x : values) x = normal(generator);
    return values;
}

class SparseLinearOnGpu : public OnGpu {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        if (const auto why = kernels::whyNot(backend(), problemOver(128))) GTEST_SKIP() << *why;
    }

    static const kernels::BackendInfo& backend() { return *kernels::findBackend("sla"); }
    [[nodiscard]] kernels::AttentionProblem problemOver(std::int64_t keys) const {
        kernels::AttentionProblem problem;
        problem.device = kernels::Device::Cuda;
        problem.type = DataType::BFloat16;
        problem.queries = 1;
        problem.keys = keys;
        problem.headDim = 64;
        return problem;
    }
    void expectTheOracle(AttentionCase& c) const {
        const auto oracle = kernels::test::sparseLinearAttention(c.problem);
        EXPECT_LE(kernels::test::maxError(runOnGpu(backend(), c, gpu), oracle),
                  0.012 * std::max(1.0, kernels::test::largest(oracle)))
            << c.name();
    }
};

TEST_F(SparseLinearOnGpu, AttendsToTheBlocksOfItsDefinition) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : kHeadDims)
            for (const double ratio : {0.1, 0.35, 1.0})
                for (const auto& [queries, keys] :
                     {std::pair{130, 700}, {1, 200}, {300, 65}, {150, 1}, {257, 1400}}) {
                    AttentionCase c({1, 2, 1, queries, keys, dim}, type);
                    c.problem.sparseLinear.topkRatio = ratio;
                    expectTheOracle(c);
                }
}

TEST_F(SparseLinearOnGpu, AddsTheLinearBranchThroughTheProjection) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : kHeadDims)
            for (const auto& [queries, keys] : {std::pair{130, 300}, {1, 200}, {150, 1}}) {
                const auto projection = random(dim * dim, 0.3F), bias = random(dim, 0.3F);
                AttentionCase c({1, 2, 1, queries, keys, dim}, type);
                c.problem.sparseLinear.projection = projection.data();
                if (queries > 1) c.problem.sparseLinear.bias = bias.data();
                expectTheOracle(c);
            }
}

TEST_F(SparseLinearOnGpu, SumsTheLinearBranchOverSeveralRunsOfKeys) {
    for (const std::int64_t dim : {64, 128}) {
        const auto projection = random(dim * dim, 0.3F);
        AttentionCase c({1, 1, 1, 20, 4500, dim}, DataType::BFloat16);
        c.problem.sparseLinear.projection = projection.data();
        expectTheOracle(c);
    }
}

TEST_F(SparseLinearOnGpu, KeepsHeadsAndBatchesApart) {
    for (const auto layout : {kernels::test::Layout::HeadsFirst, kernels::test::Layout::TokensFirst})
        for (const std::int64_t dim : {64, 128}) {
            const auto projection = random(dim * dim, 0.3F);
            AttentionCase c({2, 6, 3, 400, 1300, dim}, DataType::BFloat16,
                            kernels::test::Family::OutlierChannels, layout);
            c.problem.sparseLinear.projection = projection.data();
            expectTheOracle(c);
        }
}

TEST_F(SparseLinearOnGpu, AConstantOfTheKeysDoesNotChooseTheBlocks) {
    AttentionCase c({1, 1, 1, 400, 1300, 64}, DataType::BFloat16, kernels::test::Family::KeyBias);
    expectTheOracle(c);
}

TEST_F(SparseLinearOnGpu, LargeValuesPassFp16sRangeInTheLinearBranch) {
    std::vector<float> projection(64 * 64, 0.0F);
    for (std::size_t i = 0; i < 64; ++i) projection[i * 65] = 1;
    AttentionCase c({1, 1, 1, 20, 1500, 64}, DataType::Float16);
    for (std::size_t i = 0; i < 1500 * 64; ++i)
        reinterpret_cast<std::uint16_t*>(c.v.data())[i] = 0x7000;  // 8192: Σ φ(k) v passes 65504
    c.problem.sparseLinear.projection = projection.data();
    expectTheOracle(c);
}

TEST_F(SparseLinearOnGpu, ANanKeyIsSeenInTheOutputAndEqualScoresGiveNumbers) {
    AttentionCase nan({1, 1, 1, 100, 700, 64}, DataType::BFloat16);
    reinterpret_cast<std::uint16_t*>(nan.k.data())[650 * 64 + 3] = 0x7FC0;
    EXPECT_FALSE(kernels::test::allFinite(runOnGpu(backend(), nan, gpu)));
    for (const auto family : {kernels::test::Family::Zeros, kernels::test::Family::Underflow}) {
        AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::BFloat16, family);
        EXPECT_TRUE(kernels::test::allFinite(runOnGpu(backend(), c, gpu)));
    }
}

TEST_F(SparseLinearOnGpu, AThousandLaunchesGiveTheSameBits) {
    for (const std::int64_t dim : {64, 128}) {
        const auto options = at::TensorOptions().device(gpu.device);
        const auto random_BHND = [&] {
            return at::randn({1, 3000, 4, dim}, options).to(at::kBFloat16).transpose(1, 2);
        };
        const auto dispatcher = attention::makeDispatcher(attention::Policy("sla"), gpu).value();
        const attention::Inputs in{.q_BHND = random_BHND(),
                                   .k_BHMD = random_BHND(),
                                   .v_BHMD = random_BHND(),
                                   .keyBias_M = {},
                                   .projL_DD = at::randn({dim, dim}, options)};
        const attention::CallSite site{attention::ModuleKind::Self, 0};
        const at::Tensor first = dispatcher->attend(in, site);
        at::Tensor equal = at::ones({}, options.dtype(at::kBool));
        for (int i = 0; i < 1000; ++i) equal = equal & (dispatcher->attend(in, site) == first).all();
        EXPECT_TRUE(equal.item<bool>());
        EXPECT_EQ(dispatcher->records().at(0).used, "sla");
    }
}

TEST_F(SparseLinearOnGpu, SaysWhatItDoesNotTake) {
    EXPECT_EQ(kernels::whyNot(backend(), problemOver(kernels::cuda::kMostSparseKeys + 1)),
              "sla: 384001 keys, needs at most 384000");
    kernels::AttentionProblem many = problemOver(128);
    many.batch = 65'536;
    EXPECT_EQ(kernels::whyNot(backend(), many), "sla: 65536 heads over the batch, needs at most 65535");
    kernels::AttentionProblem causal = problemOver(128);
    causal.mask = kernels::Mask::Causal;
    EXPECT_EQ(kernels::whyNot(backend(), causal), "sla: no causal mask");
}

/// sagesla: the same over other blocks, quantised. What a weight is relative to, and so how e4m3 rounds it,
/// is the kernel's own: beside the definition with exact weights stands the error that rounding them makes
/// there.
enum class Gpus { Hopper, Others };
class SageSparseLinearOnGpu : public OnGpu, public testing::WithParamInterface<Gpus> {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        AttentionCase any({1, 1, 1, 64, 128, 64}, DataType::BFloat16);
        any.problem.device = kernels::Device::Cuda;
        if (const auto why = kernels::whyNot(backend(), any.problem)) GTEST_SKIP() << *why;
        if (const auto why = kernels::whyNot(*kernels::findBackend("fav3"), any.problem);
            GetParam() == Gpus::Hopper && why)
            GTEST_SKIP() << *why;
        if (GetParam() == Gpus::Hopper && std::getenv("REELGRID_GPU_KERNELS") != nullptr)
            GTEST_SKIP() << "REELGRID_GPU_KERNELS chooses other kernels than Hopper's";
        if (GetParam() == Gpus::Others) setenv("REELGRID_GPU_KERNELS", "mma", 1);
    }
    void TearDown() override {
        if (GetParam() == Gpus::Others) unsetenv("REELGRID_GPU_KERNELS");
    }

    static const kernels::BackendInfo& backend() { return *kernels::findBackend("sagesla"); }
    void expectItsOwnError(AttentionCase& c) const {
        using namespace kernels::test;
        const bool isHopper = GetParam() == Gpus::Hopper;
        const auto blocks =
            kernels::traitsOf(isHopper ? kernels::Method::SageSparseLinear : kernels::Method::SparseLinear,
                              128)
                .sparse;
        Quantisation method =
            quantisationOf(isHopper ? kernels::Method::SageSparseLinear : kernels::Method::Sage1, 128);
        method.centreKeys = c.problem.keySmoothing == kernels::KeySmoothing::Mean;
        Quantisation withExactWeights = method;
        withExactWeights.roundWeights = false;
        const auto exact = sageSparseLinearAttention(c.problem, withExactWeights, blocks),
                   defined = sageSparseLinearAttention(c.problem, method, blocks);
        const auto out = runOnGpu(backend(), c, gpu);
        ASSERT_TRUE(allFinite(out)) << c.name();
        const double most = largest(defined);
        EXPECT_LE(maxError(out, exact), 0.065 * most) << c.name();
        EXPECT_LE(relativeL1(out, exact), 1.1 * relativeL1(defined, exact) + 0.012) << c.name();
    }
};

INSTANTIATE_TEST_SUITE_P(Ours, SageSparseLinearOnGpu, testing::Values(Gpus::Hopper, Gpus::Others),
                         [](const auto& each) { return each.param == Gpus::Hopper ? "hopper" : "others"; });

TEST_P(SageSparseLinearOnGpu, MakesTheErrorOfItsDefinitionAndNoOther) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : kHeadDims)
            for (const double ratio : {0.1, 0.35, 1.0})
                for (const auto& [queries, keys] :
                     {std::pair{130, 700}, {1, 200}, {70, 65}, {64, 1}, {65, 128}, {257, 1400}}) {
                    AttentionCase c({1, 2, 1, queries, keys, dim}, type);
                    c.problem.sparseLinear.topkRatio = ratio;
                    expectItsOwnError(c);
                }
}

TEST_P(SageSparseLinearOnGpu, AddsTheLinearBranchOfTheValuesAsTheyCame) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : kHeadDims) {
            const auto projection = random(dim * dim, 0.3F), bias = random(dim, 0.3F);
            AttentionCase c({1, 2, 1, 70, 2300, dim}, type);
            c.problem.sparseLinear.projection = projection.data();
            if (dim != 96) c.problem.sparseLinear.bias = bias.data();
            expectItsOwnError(c);
        }
}

TEST_P(SageSparseLinearOnGpu, KeepsHeadsAndBatchesApart) {
    for (const auto layout : {kernels::test::Layout::HeadsFirst, kernels::test::Layout::TokensFirst})
        for (const std::int64_t dim : {64, 128}) {
            const auto projection = random(dim * dim, 0.3F);
            AttentionCase c({2, 6, 3, 400, 1300, dim}, DataType::BFloat16,
                            kernels::test::Family::OutlierChannels, layout);
            c.problem.sparseLinear.projection = projection.data();
            expectItsOwnError(c);
        }
}

TEST_P(SageSparseLinearOnGpu, TakesKeysWithAMeanAndWithoutSmoothing) {
    AttentionCase c({1, 2, 2, 200, 900, 128}, DataType::BFloat16, kernels::test::Family::KeyBias);
    expectItsOwnError(c);
    AttentionCase plain({1, 2, 2, 200, 900, 64}, DataType::BFloat16);
    plain.problem.keySmoothing = kernels::KeySmoothing::None;
    expectItsOwnError(plain);
}

TEST_P(SageSparseLinearOnGpu, LongSumsKeepTheirBits) {
    // Values with a mean show what the tensor cores drop of a sum that grows.
    AttentionCase c({1, 1, 1, 70, 16384, 64}, DataType::BFloat16);
    c.problem.sparseLinear.topkRatio = 1;
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t i = 0; i < c.v.size() / 2; ++i)
        v[i] = kernels::bf16FromFloat(kernels::floatFromBf16(v[i]) + 4);
    const auto truth = kernels::test::referenceAttention(c.problem).out;
    EXPECT_LE(kernels::test::relativeL1(runOnGpu(backend(), c, gpu), truth), 0.02);
}

TEST_P(SageSparseLinearOnGpu, ANanIsSeenInTheOutputAndZerosGiveNumbers) {
    for (const int which : {0, 1, 2}) {
        AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::BFloat16);
        c.problem.sparseLinear.topkRatio = 1;
        auto& data = which == 0 ? c.q : which == 1 ? c.k : c.v;
        reinterpret_cast<std::uint16_t*>(data.data())[17 * 64 + 5] = 0x7FC0;
        EXPECT_TRUE(std::isnan(runOnGpu(backend(), c, gpu)[17 * 64 + 5])) << which;
    }
    for (const auto family : {kernels::test::Family::Zeros, kernels::test::Family::Underflow}) {
        AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::BFloat16, family);
        EXPECT_TRUE(kernels::test::allFinite(runOnGpu(backend(), c, gpu)));
    }
}

TEST_P(SageSparseLinearOnGpu, AThousandLaunchesGiveTheSameBits) {
    for (const std::int64_t dim : {64, 128}) {
        const auto options = at::TensorOptions().device(gpu.device);
        const auto random_BHND = [&] {
            return at::randn({1, 3000, 4, dim}, options).to(at::kBFloat16).transpose(1, 2);
        };
        const auto dispatcher = attention::makeDispatcher(attention::Policy("sagesla"), gpu).value();
        const attention::Inputs in{.q_BHND = random_BHND(),
                                   .k_BHMD = random_BHND(),
                                   .v_BHMD = random_BHND(),
                                   .keyBias_M = {},
                                   .projL_DD = at::randn({dim, dim}, options)};
        const attention::CallSite site{attention::ModuleKind::Self, 0};
        const at::Tensor first = dispatcher->attend(in, site);
        at::Tensor equal = at::ones({}, options.dtype(at::kBool));
        for (int i = 0; i < 1000; ++i) equal = equal & (dispatcher->attend(in, site) == first).all();
        EXPECT_TRUE(equal.item<bool>());
        EXPECT_EQ(dispatcher->records().at(0).used, "sagesla");
    }
}

}  // namespace
}  // namespace reelgrid

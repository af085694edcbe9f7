// sparge, sta and radial on the GPU: exact attention over a map of kept blocks, against the same map and
// softmax in float64 (tests/kernels/attention/method_oracle.h, grid_oracle.h).

#include <cmath>
#include <cstdlib>
#include <random>

#include "core/attention/make_dispatcher.h"
#include "kernels/attention/half_types.h"
#include "kernels/cuda/attention/attention_cuda.h"
#include "tests/gpu/case_on_gpu.h"
#include "tests/gpu/gpu.h"
#include "tests/kernels/attention/grid_oracle.h"
#include "tests/kernels/attention/method_oracle.h"
#include "tests/kernels/attention/reference.h"

namespace reelgrid {
namespace {

using kernels::DataType;
using kernels::Method;
using kernels::TokenGrid;
using kernels::test::AttentionCase;

constexpr DataType kTypes[] = {DataType::BFloat16, DataType::Float16};
constexpr std::int64_t kHeadDims[] = {64, 128, 40, 96};
constexpr TokenGrid kGrids[] = {{.frames = 20, .rows = 4, .columns = 8},
                                {.frames = 17, .rows = 5, .columns = 9},
                                {.frames = 9, .rows = 9, .columns = 7, .textBefore = 30, .textAfter = 5},
                                {.frames = 13, .rows = 12, .columns = 10, .textBefore = 7},
                                {.frames = 1, .rows = 3, .columns = 3}};

enum class Gpus { Hopper, Others };

/// By both kernels, where the GPU has both.
class SparseMapsOnGpu : public OnGpu, public testing::WithParamInterface<Gpus> {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        AttentionCase any({1, 1, 1, 64, 128, 64}, DataType::BFloat16);
        any.problem.device = kernels::Device::Cuda;
        if (const auto why = kernels::whyNot(*kernels::findBackend("sparge"), any.problem))
            GTEST_SKIP() << *why;
        if (GetParam() == Gpus::Others) {
            setenv("REELGRID_GPU_KERNELS", "mma", 1);
            return;
        }
        if (const auto why = kernels::whyNot(*kernels::findBackend("fav3"), any.problem))
            GTEST_SKIP() << *why;
        if (std::getenv("REELGRID_GPU_KERNELS") != nullptr)
            GTEST_SKIP() << "REELGRID_GPU_KERNELS chooses other kernels than Hopper's";
    }
    void TearDown() override {
        if (GetParam() == Gpus::Others) unsetenv("REELGRID_GPU_KERNELS");
    }

    /// Rows of a block lie about a direction of its own; every `oddKeys`-th block of keys and `oddQueries`-th
    /// of queries is as wild as it came. Of one head: neighbours in memory are of one block.
    static void gather(AttentionCase& c, std::size_t oddKeys, std::size_t oddQueries) {
        const auto dim = static_cast<std::size_t>(c.problem.headDim);
        std::mt19937 generator(7);
        std::normal_distribution<float> normal(0, 1);
        std::vector<float> centres(std::size_t{64} * dim);
        for (float& x : centres) x = normal(generator);
        const bool isFp16 = c.problem.type == DataType::Float16;
        const auto turn = [&](std::vector<std::uint8_t>& data, std::size_t block, std::size_t odd) {
            auto* rows = reinterpret_cast<std::uint16_t*>(data.data());
            for (std::size_t i = 0; i < data.size() / 2; ++i) {
                const std::size_t place = i / dim / block;
                if (place % odd == odd - 1) continue;
                const float x =
                    0.5F * (isFp16 ? kernels::floatFromFp16(rows[i]) : kernels::floatFromBf16(rows[i])) +
                    centres[place % 13 * dim + i % dim];
                rows[i] = isFp16 ? kernels::fp16FromFloat(x) : kernels::bf16FromFloat(x);
            }
        };
        turn(c.k, 64, oddKeys);
        turn(c.q, 128, oddQueries);
    }

    template <class Oracle>
    void expectTheOracle(const char* backend, AttentionCase& c, const Oracle& oracle) const {
        double kept = -1;
        c.problem.keptShare = &kept;
        const auto out = runOnGpu(*kernels::findBackend(backend), c, gpu);
        c.problem.keptShare = nullptr;
        EXPECT_NEAR(kept, oracle.keptShare, 1e-9) << backend << " " << c.name();
        EXPECT_LE(kernels::test::maxError(out, oracle.out),
                  0.012 * std::max(1.0, kernels::test::largest(oracle.out)))
            << backend << " " << c.name();
    }
    void expectPrediction(AttentionCase& c) const {
        expectTheOracle("sparge", c, kernels::test::predictedAttention(c.problem));
    }
};
INSTANTIATE_TEST_SUITE_P(Ours, SparseMapsOnGpu, testing::Values(Gpus::Hopper, Gpus::Others),
                         [](const auto& each) { return each.param == Gpus::Hopper ? "hopper" : "others"; });

TEST_P(SparseMapsOnGpu, SpargeAttendsToTheBlocksOfItsPredictionAndSaysHowMany) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : kHeadDims)
            for (const double cdf : {0.5, 0.9, 0.98})
                for (const auto& [queries, keys] :
                     {std::pair{400, 1500}, {130, 700}, {1, 200}, {300, 65}, {150, 1}}) {
                    AttentionCase c({1, 1, 1, queries, keys, dim}, type);
                    gather(c, 7, 4);
                    c.problem.prediction.cdf = cdf;
                    expectPrediction(c);
                    if (cdf == 0.5 && keys == 1500) {
                        EXPECT_LT(kernels::test::predictedAttention(c.problem).keptShare, 0.5)
                            << "something is left out";
                    }
                }
}

TEST_P(SparseMapsOnGpu, SpargeKeepsHeadsAndBatchesApart) {
    for (const auto layout : {kernels::test::Layout::HeadsFirst, kernels::test::Layout::TokensFirst})
        for (const std::int64_t dim : {64, 128}) {
            AttentionCase c({2, 6, 3, 400, 1300, dim}, DataType::BFloat16,
                            kernels::test::Family::OutlierChannels, layout);
            c.problem.prediction.similarity = 0.05;  // some of these blocks are above it, others not
            expectPrediction(c);
        }
}

TEST_P(SparseMapsOnGpu, SpargeTakesItsThresholdsFromOptions) {
    AttentionCase c({1, 1, 1, 400, 1500, 64}, DataType::BFloat16);
    gather(c, 7, 4);
    const std::vector<kernels::OptionValue> options{{"cdfthreshd", "0.4"}, {"simthreshd1", "0.3"}};
    c.problem.prediction.cdf = 0.4;
    c.problem.prediction.similarity = 0.3;
    const auto oracle = kernels::test::predictedAttention(c.problem);
    c.problem.prediction = {};
    c.problem.context.options = options;
    expectTheOracle("sparge", c, oracle);
    const std::vector<kernels::OptionValue> faint{{"pvthreshd", "20"}};
    c.problem.context.options = faint;
    c.problem.device = kernels::Device::Cuda;
    EXPECT_EQ(kernels::whyNot(*kernels::findBackend("sparge"), c.problem),
              "sparge: pvthreshd 20, needs the default on a GPU, where no block of the map is left out for "
              "its scores");
}

TEST_P(SparseMapsOnGpu, ANanKeyIsSeenInSpargesOutputAndEqualScoresGiveNumbers) {
    AttentionCase nan({1, 1, 1, 100, 700, 64}, DataType::BFloat16);
    gather(nan, 99, 99);
    reinterpret_cast<std::uint16_t*>(nan.k.data())[650 * 64 + 3] = 0x7FC0;
    EXPECT_FALSE(kernels::test::allFinite(runOnGpu(*kernels::findBackend("sparge"), nan, gpu)));
    for (const auto family : {kernels::test::Family::Zeros, kernels::test::Family::Underflow}) {
        AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::BFloat16, family);
        EXPECT_TRUE(kernels::test::allFinite(runOnGpu(*kernels::findBackend("sparge"), c, gpu)));
    }
}

TEST_P(SparseMapsOnGpu, TilesSeeTheirWindow) {
    for (const TokenGrid& grid : kGrids)
        for (const auto type : kTypes)
            for (const std::int64_t dim : kHeadDims) {
                AttentionCase c({1, 2, 2, grid.tokens(), grid.tokens(), dim}, type);
                c.problem.context.grid = grid;
                expectTheOracle("sta", c, kernels::test::gridAttention(Method::SlidingTile, c.problem));
            }
}

TEST_P(SparseMapsOnGpu, RadialWindowsNarrowWithTheFramesBetween) {
    for (const TokenGrid& grid : kGrids)
        for (const auto type : kTypes)
            for (const std::int64_t dim : kHeadDims) {
                AttentionCase c({1, 2, 2, grid.tokens(), grid.tokens(), dim}, type);
                c.problem.context.grid = grid;
                expectTheOracle("radial", c, kernels::test::gridAttention(Method::Radial, c.problem));
            }
}

TEST_P(SparseMapsOnGpu, GridsKeepHeadsAndBatchesApart) {
    for (const auto layout : {kernels::test::Layout::HeadsFirst, kernels::test::Layout::TokensFirst})
        for (const std::int64_t dim : {64, 128}) {
            const TokenGrid grid = kGrids[2];
            AttentionCase c({2, 6, 3, grid.tokens(), grid.tokens(), dim}, DataType::BFloat16,
                            kernels::test::Family::OutlierChannels, layout);
            c.problem.context.grid = grid;
            expectTheOracle("sta", c, kernels::test::gridAttention(Method::SlidingTile, c.problem));
            expectTheOracle("radial", c, kernels::test::gridAttention(Method::Radial, c.problem));
        }
}

TEST_P(SparseMapsOnGpu, AHundredLaunchesGiveTheSameBitsAndCountWhatTheyKeep) {
    const TokenGrid grid{.frames = 13, .rows = 15, .columns = 16};
    for (const char* backend : {"sparge", "sta", "radial"})
        for (const std::int64_t dim : {64, 128}) {
            const auto options = at::TensorOptions().device(gpu.device);
            const auto random_BHND = [&] {
                return at::randn({1, grid.tokens(), 4, dim}, options).to(at::kBFloat16).transpose(1, 2);
            };
            const auto dispatcher = attention::makeDispatcher(attention::Policy(backend), gpu).value();
            attention::Inputs in{
                .q_BHND = random_BHND(), .k_BHMD = random_BHND(), .v_BHMD = random_BHND(), .keyBias_M = {}};
            in.grid = grid;
            const attention::CallSite site{attention::ModuleKind::Self, 0};
            const at::Tensor first = dispatcher->attend(in, site);
            at::Tensor equal = at::ones({}, options.dtype(at::kBool));
            for (int i = 0; i < 100; ++i) equal = equal & (dispatcher->attend(in, site) == first).all();
            EXPECT_TRUE(equal.item<bool>()) << backend;
            EXPECT_EQ(dispatcher->records().at(0).used, backend);
            const double kept = dispatcher->records().at(0).kept.value_or(-1);
            EXPECT_GT(kept, 0) << backend;
            EXPECT_LE(kept, 1) << backend;
        }
}

TEST_P(SparseMapsOnGpu, SayWhatTheyDoNotTake) {
    AttentionCase c({1, 1, 1, 96, 96, 64}, DataType::BFloat16);
    c.problem.device = kernels::Device::Cuda;
    EXPECT_EQ(kernels::whyNot(*kernels::findBackend("sta"), c.problem),
              "sta: nobody says where this call's tokens lie, needs their grid");
    c.problem.mask = kernels::Mask::Causal;
    EXPECT_EQ(kernels::whyNot(*kernels::findBackend("sparge"), c.problem), "sparge: no causal mask");
    AttentionCase wide({1, 1, 1, 96, 96, 160}, DataType::BFloat16);
    wide.problem.device = kernels::Device::Cuda;
    EXPECT_EQ(kernels::whyNot(*kernels::findBackend("sparge"), wide.problem),
              "sparge: head dim 160, needs 1 to 128");
}

}  // namespace
}  // namespace reelgrid

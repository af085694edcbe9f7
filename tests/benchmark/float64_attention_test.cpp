#include "core/benchmark/float64_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/attention/reference.h"

namespace reelgrid::benchmark {
namespace {

struct Inputs {
    Inputs(std::int64_t queries, std::int64_t keys, std::int64_t keyHeads = 3) {
        at::manual_seed(7);
        call.q_BHND = at::randn({2, 3, queries, 16});
        call.k_BHMD = at::randn({2, keyHeads, keys, 16});
        call.v_BHMD = at::randn({2, keyHeads, keys, 16});
    }
    /// The scalar reference of the kernels, [B, H, N, D] in float64.
    [[nodiscard]] at::Tensor reference(kernels::Mask mask) const {
        kernels::AttentionProblem p;
        p.q = call.q_BHND.const_data_ptr();
        p.k = call.k_BHMD.const_data_ptr();
        p.v = call.v_BHMD.const_data_ptr();
        p.batch = 2;
        p.queryHeads = 3;
        p.keyHeads = call.k_BHMD.size(1);
        p.queries = call.q_BHND.size(2);
        p.keys = call.k_BHMD.size(2);
        p.headDim = 16;
        p.qStrides = {.batch = 3 * p.queries * 16, .head = p.queries * 16, .token = 16};
        p.kStrides = {.batch = p.keyHeads * p.keys * 16, .head = p.keys * 16, .token = 16};
        p.vStrides = p.kStrides;
        p.scale = static_cast<float>(scaleOf(call));
        if (call.keyBias_M.defined()) p.keyBias = call.keyBias_M.const_data_ptr<float>();
        p.mask = mask;
        return at::tensor(kernels::test::referenceAttention(p).out).view(call.q_BHND.sizes());
    }
    AttentionInput call;
};

TEST(Float64Attention, AgreesWithTheKernelsOwnReference) {
    for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal})
        for (const auto& [queries, keys] : {std::pair{1, 1}, {50, 50}, {200, 90}, {90, 200}}) {
            const Inputs inputs(queries, keys);
            const Float64Attention truth(inputs.call, mask);
            EXPECT_EQ(truth.rows(), std::min<std::int64_t>(queries, kReferenceRows));
            const Accuracy accuracy = truth.accuracyOf(inputs.reference(mask));
            EXPECT_LE(accuracy.rmse, 1e-14) << queries << " x " << keys;
            EXPECT_LE(accuracy.l1, 1e-13);
            EXPECT_NEAR(accuracy.cosine, 1, 1e-13);
        }
}

TEST(Float64Attention, TakesSharedKeyHeadsABiasAndAScale) {
    Inputs inputs(40, 50, 1);
    inputs.call.keyBias_M = at::linspace(-3, 3, 50);
    inputs.call.scale = 0.375;
    for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal}) {
        const Float64Attention truth(inputs.call, mask);
        EXPECT_LE(truth.accuracyOf(inputs.reference(mask)).rmse, 1e-14);
    }
}

TEST(Float64Attention, MeasuresAKnownError) {
    const Inputs inputs(100, 100);
    const at::Tensor exact = inputs.reference(kernels::Mask::None);
    const Float64Attention truth(inputs.call, kernels::Mask::None);
    EXPECT_NEAR(truth.accuracyOf(exact + 0.5).rmse, 0.5, 1e-12);
    EXPECT_NEAR(truth.accuracyOf(exact - 0.5).mae, 0.5, 1e-12);
    at::Tensor far = exact.clone();
    far[0][2][99][7] -= 3;
    EXPECT_NEAR(truth.accuracyOf(far).maxError, 3, 1e-12);
    EXPECT_NEAR(truth.accuracyOf(far).mae, 3.0 / (2 * 3 * 64 * 16), 1e-12);
    const Accuracy twice = truth.accuracyOf(2 * exact);
    EXPECT_NEAR(twice.l1, 1, 1e-12);
    EXPECT_NEAR(twice.cosine, 1, 1e-12);
    EXPECT_NEAR(truth.accuracyOf(-exact).cosine, -1, 1e-12);
}

TEST(Float64Attention, ComparesTheFirstAndTheLastRow) {
    for (const std::int64_t row : {0, 499}) {
        const Inputs inputs(500, 20);
        at::Tensor out = inputs.reference(kernels::Mask::None);
        out.select(2, row).fill_(100);
        const Float64Attention truth(inputs.call, kernels::Mask::None);
        EXPECT_GT(truth.accuracyOf(out).rmse, 1) << row;
    }
}

TEST(Float64Attention, SpreadsOverTheBatchWhereThereAreManyHeads) {
    at::manual_seed(7);
    AttentionInput many;
    many.q_BHND = at::randn({600, 2, 3, 8});
    many.k_BHMD = many.v_BHMD = at::randn({600, 2, 3, 8});
    const Float64Attention truth(many, kernels::Mask::None);
    EXPECT_EQ(truth.batches(), 256);
    at::Tensor out = at::scaled_dot_product_attention(many.q_BHND, many.k_BHMD, many.v_BHMD);
    EXPECT_LE(truth.accuracyOf(out).rmse, 1e-6);
    out[599].fill_(100);
    EXPECT_GT(truth.accuracyOf(out).rmse, 1) << "the last is among them";
}

TEST(Float64Attention, ANanInTheOutputShows) {
    const Inputs inputs(30, 20);
    at::Tensor out = inputs.reference(kernels::Mask::None);
    out[0][1][2][3] = std::nan("");
    const Float64Attention truth(inputs.call, kernels::Mask::None);
    EXPECT_TRUE(std::isnan(truth.accuracyOf(out).cosine));
}

}  // namespace
}  // namespace reelgrid::benchmark

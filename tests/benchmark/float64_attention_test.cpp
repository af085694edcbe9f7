#include "core/benchmark/float64_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/attention/reference.h"

namespace reelgrid::benchmark {
namespace {

struct Inputs {
    Inputs(std::int64_t queries, std::int64_t keys) {
        at::manual_seed(7);
        q_BHND = at::randn({2, 3, queries, 16});
        k_BHMD = at::randn({2, 3, keys, 16});
        v_BHMD = at::randn({2, 3, keys, 16});
    }
    /// The scalar reference of the kernels, [B, H, N, D] in float64.
    [[nodiscard]] at::Tensor reference(kernels::Mask mask) const {
        kernels::AttentionProblem p;
        p.q = q_BHND.const_data_ptr();
        p.k = k_BHMD.const_data_ptr();
        p.v = v_BHMD.const_data_ptr();
        p.batch = 2;
        p.queryHeads = p.keyHeads = 3;
        p.queries = q_BHND.size(2);
        p.keys = k_BHMD.size(2);
        p.headDim = 16;
        p.qStrides = {.batch = 3 * p.queries * 16, .head = p.queries * 16, .token = 16};
        p.kStrides = {.batch = 3 * p.keys * 16, .head = p.keys * 16, .token = 16};
        p.vStrides = p.kStrides;
        p.scale = 0.25F;
        p.mask = mask;
        return at::tensor(kernels::test::referenceAttention(p).out).view(q_BHND.sizes());
    }
    at::Tensor q_BHND, k_BHMD, v_BHMD;
};

TEST(Float64Attention, AgreesWithTheKernelsOwnReference) {
    for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal})
        for (const auto& [queries, keys] : {std::pair{1, 1}, {50, 50}, {200, 90}, {90, 200}}) {
            const Inputs inputs(queries, keys);
            const Float64Attention truth(inputs.q_BHND, inputs.k_BHMD, inputs.v_BHMD, mask);
            EXPECT_EQ(truth.rows(), std::min<std::int64_t>(queries, kReferenceRows));
            const Accuracy accuracy = truth.accuracyOf(inputs.reference(mask));
            EXPECT_LE(accuracy.rmse, 1e-14) << queries << " x " << keys;
            EXPECT_LE(accuracy.l1, 1e-13);
            EXPECT_NEAR(accuracy.cosine, 1, 1e-13);
        }
}

TEST(Float64Attention, MeasuresAKnownError) {
    const Inputs inputs(100, 100);
    const at::Tensor exact = inputs.reference(kernels::Mask::None);
    const Float64Attention truth(inputs.q_BHND, inputs.k_BHMD, inputs.v_BHMD, kernels::Mask::None);
    EXPECT_NEAR(truth.accuracyOf(exact + 0.5).rmse, 0.5, 1e-12);
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
        const Float64Attention truth(inputs.q_BHND, inputs.k_BHMD, inputs.v_BHMD, kernels::Mask::None);
        EXPECT_GT(truth.accuracyOf(out).rmse, 1) << row;
    }
}

TEST(Float64Attention, ANanInTheOutputShows) {
    const Inputs inputs(30, 20);
    at::Tensor out = inputs.reference(kernels::Mask::None);
    out[0][1][2][3] = std::nan("");
    const Float64Attention truth(inputs.q_BHND, inputs.k_BHMD, inputs.v_BHMD, kernels::Mask::None);
    EXPECT_TRUE(std::isnan(truth.accuracyOf(out).cosine));
}

}  // namespace
}  // namespace reelgrid::benchmark

#include "core/attention/serve.h"

#include <gmock/gmock.h>

#include <cmath>

#include "kernels/backends/backend_list.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::attention {
namespace {

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

constexpr CallOptions kWithLogSumExp{.logSumExp = LogSumExp::Asked};

Inputs randomInputs(at::ScalarType dtype, std::int64_t queries, std::int64_t keys,
                    std::int64_t keyHeads = 4) {
    at::manual_seed(11);
    const auto make = [&](std::int64_t tokens, std::int64_t heads) {
        return at::randn({2, tokens, heads, 64}).to(dtype).transpose(1, 2);
    };
    return {make(queries, 4), make(keys, keyHeads), make(keys, keyHeads), {}};
}

at::Tensor exactLogSumExp(const Inputs& in) {
    const at::Tensor k_BHMD = in.k_BHMD.to(at::kDouble).repeat_interleave(4 / in.k_BHMD.size(1), 1);
    at::Tensor scores_BHNM = in.q_BHND.to(at::kDouble).matmul(k_BHMD.transpose(-2, -1)) / 8;
    if (in.keyBias_M.defined()) scores_BHNM = scores_BHNM + in.keyBias_M;
    return scores_BHNM.logsumexp(-1);
}

double largestLogSumExpError(const Served& served, const Inputs& in) {
    return (served.lse_BHN.to(at::kDouble) - exactLogSumExp(in)).abs().max().item<double>();
}

class ServeBy : public testing::TestWithParam<std::string> {};

TEST_P(ServeBy, GivesTheLogSumExpWhereItIsAskedForOrSaysWhyAnotherDoes) {
    const std::string& backend = GetParam();
    // These need the tokens' grid, or give no log-sum-exp.
    const bool needsGrid = backend == "sta" || backend == "radial";
    const bool isSparse = backend == "sla" || backend == "sagesla" || backend == "sparge" || needsGrid;
    const bool quantises =
        backend == "sagev1" || backend == "sagev2" || backend == "fav3_sage" || backend == "fav3_fp8";
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
        const Inputs in = randomInputs(dtype, 150, 230);
        const Served plain = serve(backend, in), served = serve(backend, in, {}, kWithLogSumExp);
        EXPECT_EQ(plain.used, needsGrid ? "sdpa" : backend);
        EXPECT_FALSE(plain.lse_BHN.defined());
        EXPECT_EQ(served.used, isSparse ? "sdpa" : backend);
        EXPECT_EQ(served.why, isSparse ? backend + ": gives no log-sum-exp" : "");
        ASSERT_EQ(served.lse_BHN.sizes(), (std::vector<std::int64_t>{2, 4, 150}));
        EXPECT_EQ(served.lse_BHN.scalar_type(), at::kFloat);
        EXPECT_TRUE(served.lse_BHN.is_contiguous());
        EXPECT_LE(largestLogSumExpError(served, in), quantises ? 0.1 : 2e-3) << at::toString(dtype);
        EXPECT_TRUE(served.out_BHND.transpose(1, 2).is_contiguous());
        // In tiles weights are exponentiated in 16 bits where nobody asks for their sum.
        const bool isInTiles = kernels::selectedInstructionSet() == kernels::InstructionSet::Amx;
        const double rounded = isInTiles && (quantises || dtype == at::kBFloat16) ? 0x1p-7 : 0;
        EXPECT_TRUE(isSparse || at::allclose(served.out_BHND, plain.out_BHND, rounded, rounded));
    }
}

/// Sequences whose tokens lie far apart, as a pixel's in all frames do: the same answer, laid out as they are
/// by kernels of our own.
TEST_P(ServeBy, AnswersSequencesAcrossFramesWhereTheyLie) {
    at::manual_seed(12);
    const at::Tensor qkv = at::randn({16, 9, 3 * 4 * 64});  // frames, pixels, channels
    const auto part = [&](std::int64_t index) {
        return qkv.narrow(2, index * 4 * 64, 4 * 64).unflatten(2, {4, 64}).permute({1, 2, 0, 3});
    };
    const Inputs across{part(0), part(1), part(2), {}};
    const Inputs dense{part(0).contiguous(), part(1).contiguous(), part(2).contiguous(), {}};
    const Served made = serve(GetParam(), across), exact = serve(GetParam(), dense);
    EXPECT_EQ(made.used, exact.used);
    EXPECT_TRUE(at::allclose(made.out_BHND, exact.out_BHND, 0, 1e-5));
    if (made.used != "sdpa") {
        EXPECT_TRUE(made.out_BHND.permute({2, 0, 1, 3}).is_contiguous());
    }
}

std::vector<std::string> backendsOnCpu() {
    std::vector<std::string> list;
    for (const kernels::BackendInfo* backend : kernels::backendsOn(kernels::Device::Cpu))
        list.emplace_back(backend->name);
    return list;
}
INSTANTIATE_TEST_SUITE_P(All, ServeBy, testing::ValuesIn(backendsOnCpu()),
                         [](const auto& tested) { return tested.param; });

TEST(Serve, SdpaGivesTheLogSumExpOfBiasedKeysAndSharedHeadsToo) {
    for (const std::int64_t keyHeads : {4, 2})
        for (const bool biased : {false, true}) {
            Inputs in = randomInputs(at::kFloat, 40, 60, keyHeads);
            if (biased) in.keyBias_M = at::linspace(-2, 2, 60);
            const Served served = serve("sdpa", in, {}, kWithLogSumExp);
            EXPECT_LE(largestLogSumExpError(served, in), 1e-5) << keyHeads << " " << biased;
            EXPECT_TRUE(at::allclose(served.out_BHND, serve("sdpa", in).out_BHND, 1e-5, 1e-6));
        }
}

TEST(Serve, SaysWhoServedWhyAndHowLongItTook) {
    Inputs in = randomInputs(at::kFloat, 20, 20);
    EXPECT_EQ(serve("default", in).used, "sdpa");
    EXPECT_EQ(serve("default", in).why, "the reference's default is sdpa");
    in.keyBias_M = at::zeros({20});
    const Served served = serve("sla", in);
    EXPECT_EQ(served.used, "sdpa");
    EXPECT_EQ(served.why, "sla: takes no key bias");
    EXPECT_GT(served.seconds, 0);
}

}  // namespace
}  // namespace reelgrid::attention

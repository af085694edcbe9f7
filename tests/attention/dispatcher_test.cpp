#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::attention {
namespace {

using testing::HasSubstr;

constexpr CallSite kSelf{ModuleKind::SelfAttention, 0};
constexpr CallSite kCross{ModuleKind::CrossAttention, 0};

struct Inputs {
    at::Tensor q, k, v;
};

/// As a transformer hands them over: projections of [B, N, H·D] seen as [B, H, N, D].
Inputs inputsOf(at::ScalarType dtype, std::int64_t queries, std::int64_t keys, std::int64_t headDim) {
    at::manual_seed(3);
    const auto make = [&](std::int64_t tokens) {
        return at::randn({1, tokens, 3, headDim}).to(dtype).transpose(1, 2);
    };
    return {make(queries), make(keys), make(keys)};
}

class EveryBackend : public testing::TestWithParam<std::string> {};

TEST_P(EveryBackend, IsCloseToDoublePrecisionAndSaysThatItRan) {
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
        const auto dispatcher = makeDispatcher(GetParam()).value();
        const Inputs in = inputsOf(dtype, 200, 200, 128);
        const at::Tensor out = dispatcher->attend(in.q, in.k, in.v, kSelf);
        const at::Tensor exact = at::scaled_dot_product_attention(in.q.to(at::kDouble), in.k.to(at::kDouble),
                                                                  in.v.to(at::kDouble));
        EXPECT_EQ(out.scalar_type(), dtype);
        EXPECT_TRUE(out.transpose(1, 2).is_contiguous());
        const double error = ((out.to(at::kDouble) - exact).abs().sum() / exact.abs().sum()).item<double>();
        EXPECT_LE(error, 0.03) << GetParam() << " " << at::toString(dtype);
        const auto records = dispatcher->records();
        ASSERT_EQ(records.size(), 1u);
        EXPECT_EQ(records[0].requested, GetParam());
        EXPECT_EQ(records[0].used, GetParam());
        EXPECT_EQ(records[0].why, "");
        EXPECT_EQ(records[0].calls, 1);
    }
}

std::vector<std::string> names() {
    std::vector<std::string> list;
    for (const kernels::BackendInfo& backend : kernels::backends()) list.emplace_back(backend.name);
    return list;
}
INSTANTIATE_TEST_SUITE_P(All, EveryBackend, testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

TEST(Dispatcher, CrossAttentionStaysSdpa) {
    const auto dispatcher = makeDispatcher("sagev1").value();
    const Inputs in = inputsOf(at::kFloat, 50, 20, 64);
    (void)dispatcher->attend(in.q, in.k, in.v, kCross);
    const auto records = dispatcher->records();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].kind, ModuleKind::CrossAttention);
    EXPECT_EQ(records[0].requested, "sdpa");
    EXPECT_EQ(records[0].used, "sdpa");
}

TEST(Dispatcher, ACallThatABackendCannotRunSaysSo) {
    const auto dispatcher = makeDispatcher("fav2").value();
    const Inputs in = inputsOf(at::kFloat, 20, 20, 512);
    const at::Tensor out = dispatcher->attend(in.q, in.k, in.v, kSelf);
    EXPECT_TRUE(at::allclose(out, at::scaled_dot_product_attention(in.q, in.k, in.v), 1e-4, 1e-5));
    const auto records = dispatcher->records();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].requested, "fav2");
    EXPECT_EQ(records[0].used, "sdpa");
    EXPECT_THAT(records[0].why, HasSubstr("512"));
}

TEST(Dispatcher, DefaultIsAttributedToSdpa) {
    const auto dispatcher = makeDispatcher("default").value();
    const Inputs in = inputsOf(at::kFloat, 8, 8, 32);
    (void)dispatcher->attend(in.q, in.k, in.v, kSelf);
    EXPECT_EQ(dispatcher->records()[0].requested, "default");
    EXPECT_EQ(dispatcher->records()[0].used, "sdpa");
}

TEST(Dispatcher, AnUnknownTypeNamesTheKnownOnes) {
    const auto dispatcher = makeDispatcher("fav9");
    ASSERT_FALSE(dispatcher);
    EXPECT_EQ(dispatcher.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(dispatcher.error().message, testing::AllOf(HasSubstr("fav9"), HasSubstr("sagev1")));
}

}  // namespace
}  // namespace reelgrid::attention

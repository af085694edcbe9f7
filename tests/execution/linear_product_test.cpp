#include "core/execution/linear_product.h"

#include <gtest/gtest.h>

namespace reelgrid::execution {
namespace {

struct Shape {
    std::vector<std::int64_t> x;
    std::int64_t out;
};

class LinearProduct : public ::testing::TestWithParam<Shape> {
  protected:
    void SetUp() override {
        at::manual_seed(7);
        x = at::randn(GetParam().x, at::kDouble);
        weight_OI = at::randn({GetParam().out, x.size(-1)}, at::kDouble);
        bias_O = at::randn({GetParam().out}, at::kDouble);
    }

    at::Tensor x, weight_OI, bias_O;
};

/// bf16 keeps 8 bits, so rounding once is off by 2^-8 of the value at most; sums in fp32 add next to nothing.
constexpr double kOneRounding = 1.0 / 256, kSums = 1e-4;

TEST_P(LinearProduct, RoundsBf16Once) {
    const at::Tensor narrow = x.to(at::kBFloat16), weight = weight_OI.to(at::kBFloat16),
                     bias = bias_O.to(at::kBFloat16);
    for (const at::Tensor& added : {bias, at::Tensor()}) {
        at::Tensor exact = at::matmul(narrow.to(at::kDouble), weight.to(at::kDouble).t());
        if (added.defined()) exact = exact + added.to(at::kDouble);
        for (const at::Tensor& factor : {weight, packedForLinear(weight)}) {
            const at::Tensor y = linear(narrow, factor, added);
            ASSERT_EQ(y.scalar_type(), at::kBFloat16);
            ASSERT_EQ(y.sizes(), exact.sizes());
            EXPECT_TRUE(at::allclose(y.to(at::kDouble), exact, kOneRounding, kSums));
        }
    }
}

TEST_P(LinearProduct, LeavesFp32ToLibtorch) {
    const at::Tensor wide = x.to(at::kFloat), weight = weight_OI.to(at::kFloat), bias = bias_O.to(at::kFloat);
    EXPECT_TRUE(at::equal(linear(wide, packedForLinear(weight), bias), at::linear(wide, weight, bias)));
}

TEST_P(LinearProduct, TakesStridedRows) {
    const at::Tensor narrow = at::cat({x, x}, -1).to(at::kBFloat16).narrow(-1, 0, x.size(-1));
    const at::Tensor weight = weight_OI.to(at::kBFloat16), bias = bias_O.to(at::kBFloat16);
    for (const at::Tensor& factor : {weight, packedForLinear(weight)})
        EXPECT_TRUE(at::equal(linear(narrow, factor, bias), linear(narrow.contiguous(), factor, bias)));
}

TEST(PackedWeight, TellsItsSizesAndItsMemory) {
    const at::Tensor weight_OI = at::randn({24, 40}).to(at::kBFloat16);
    const at::Tensor packed = packedForLinear(weight_OI);
    EXPECT_EQ(packed.sizes(), weight_OI.sizes());
    EXPECT_EQ(packed.scalar_type(), at::kBFloat16);
    EXPECT_EQ(packed.nbytes(), weight_OI.nbytes());
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinearProduct,
                         ::testing::Values(Shape{{1, 32}, 48}, Shape{{2, 9, 64}, 24},
                                           Shape{{1, 1030, 40}, 33}, Shape{{2050, 16}, 8}));

}  // namespace
}  // namespace reelgrid::execution

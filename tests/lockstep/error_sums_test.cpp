#include "core/lockstep/error_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/result.h"

namespace reelgrid::lockstep {
namespace {

TEST(ErrorSums, AreTheThreeMeasuresOfFlattenedOutputs) {
    // [1, 2, 1, 2]: the sums go over every element, whatever the layout.
    const at::Tensor reference = at::tensor({3.0F, -4.0F, 0.0F, 5.0F}).view({1, 2, 1, 2});
    const at::Tensor other = at::tensor({3.0F, -2.0F, 1.0F, 4.0F}).view({1, 2, 1, 2});
    ErrorSums sums;
    sums.add(reference, other);
    const OutputError error = sums.error();
    EXPECT_DOUBLE_EQ(error.cosine, (9 + 8 + 0 + 20) / std::sqrt(50.0 * 30.0));
    EXPECT_DOUBLE_EQ(error.relativeL1, (0 + 2 + 1 + 1) / 12.0);
    EXPECT_DOUBLE_EQ(error.rmse, std::sqrt((0 + 4 + 1 + 1) / 4.0));
}

TEST(ErrorSums, TakeOneOutputAfterAnotherForOneLongOne) {
    const at::Tensor a = at::randn({1, 3, 5, 4}), b = a + 0.1 * at::randn({1, 3, 5, 4});
    ErrorSums whole, parts;
    whole.add(a, b);
    parts.add(a.narrow(2, 0, 2), b.narrow(2, 0, 2));
    parts.add(a.narrow(2, 2, 3), b.narrow(2, 2, 3));
    EXPECT_NEAR(parts.error().cosine, whole.error().cosine, 1e-12);
    EXPECT_NEAR(parts.error().relativeL1, whole.error().relativeL1, 1e-12);
    EXPECT_NEAR(parts.error().rmse, whole.error().rmse, 1e-12);
}

TEST(ErrorSums, FindEqualOutputsEqual) {
    ErrorSums sums;
    sums.add(at::zeros({1, 2, 3, 4}), at::zeros({1, 2, 3, 4}));
    EXPECT_EQ(sums.error().cosine, 1);
    EXPECT_EQ(sums.error().relativeL1, 0);
    EXPECT_EQ(sums.error().rmse, 0);
}

TEST(ErrorSums, RefuseOutputsOfDifferentShapes) {
    ErrorSums sums;
    EXPECT_THROW(sums.add(at::zeros({1, 2, 3, 4}), at::zeros({1, 2, 4, 3})), Failure);
    EXPECT_THROW(static_cast<void>(ErrorSums().error()), Failure);
}

}  // namespace
}  // namespace reelgrid::lockstep

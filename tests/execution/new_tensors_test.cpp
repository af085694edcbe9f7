#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string_view>

namespace reelgrid::execution {
namespace {

/// The program runs once with REELGRID_NEW_TENSORS=nan, once without.
TEST(NewTensors, AreFilledWhereItIsAskedFor) {
    const char* asked = std::getenv("REELGRID_NEW_TENSORS");
    if (asked == nullptr || std::string_view(asked) != "nan")
        GTEST_SKIP() << "REELGRID_NEW_TENSORS isn't nan";
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kFloat8_e4m3fn})
        EXPECT_TRUE(at::empty({64}, type).to(at::kFloat).isnan().all().item<bool>()) << type;
    EXPECT_EQ(at::empty({4}, at::kInt)[3].item<int>(), std::numeric_limits<int>::max());
    EXPECT_TRUE(at::empty_like(at::ones({3, 3})).isnan().all().item<bool>());
}

}  // namespace
}  // namespace reelgrid::execution

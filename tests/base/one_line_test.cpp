#include "core/base/one_line.h"

#include <gtest/gtest.h>

namespace reelgrid {
namespace {

TEST(OneLine, NamesAreAsTheyAreUnlessNoNameIsSo) {
    EXPECT_EQ(nameInOneLine("blocks.0.ffn.weight"), "blocks.0.ffn.weight");
    EXPECT_EQ(nameInOneLine("two\nlines"), R"("two\nlines")");
    const std::string huge(3'000'000, 'x');
    const std::string shown = nameInOneLine(huge);
    EXPECT_LT(shown.size(), 1000U);
    EXPECT_TRUE(shown.starts_with("\"xxx"));
}

}  // namespace
}  // namespace reelgrid

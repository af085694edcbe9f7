#include "core/comparison/backend_color.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/attention/backend_list.h"

namespace reelgrid::comparison {
namespace {

TEST(BackendColor, TellsEveryBackendFromTheOthers) {
    std::set<std::string> seen;
    for (const kernels::BackendInfo& backend : kernels::backends())
        EXPECT_TRUE(seen.insert(cssColor(backendColor(std::string(backend.name)))).second) << backend.name;
}

TEST(BackendColor, IsTheBackendsUnderAPolicyToo) {
    EXPECT_EQ(backendColor("fav2+policy-3f2a"), backendColor("fav2"));
    EXPECT_EQ(cssColor(backendColor("fav2")), "#4f9cf9");
}

TEST(BackendColor, OfAnUnknownNameIsAlwaysTheSame) {
    EXPECT_EQ(backendColor("mine"), backendColor("mine"));
    EXPECT_NE(backendColor("mine"), backendColor("sdpa"));
}

}  // namespace
}  // namespace reelgrid::comparison

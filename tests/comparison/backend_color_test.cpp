#include "core/comparison/backend_color.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/backends/backend_list.h"

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

TEST(BackendColor, ClipsOfOtherToolsBesideEachOtherHaveEachTheirOwn) {
    std::vector<Rgb> taken;
    for (const char* name : {"sdpa", "c0", "half", "junk", "cut", "c1", "c2", "c3", "c4"}) {
        const Rgb color = colorBeside(name, taken);
        EXPECT_EQ(std::ranges::count(taken, color), 0) << name;
        taken.push_back(color);
    }
    EXPECT_EQ(colorBeside("fav2", taken), backendColor("fav2"));
    EXPECT_EQ(colorBeside("fav2+policy-3f2a", taken), backendColor("fav2"));
}

TEST(BackendColor, EveryPluginHasItsOwn) {
    // With libtorch's flash all six of the spare ones.
    std::set<std::string> seen{cssColor(backendColor("flash"))};
    for (const char* name : {"mine", "yours", "a1", "a2", "a3"}) {
        kernels::PluginBackend plugin;
        plugin.description.name = name;
        ASSERT_EQ(kernels::addBackend(std::move(plugin)), std::nullopt);
    }
    for (const char* name : {"mine", "yours", "a1", "a2", "a3"}) {
        EXPECT_TRUE(seen.insert(cssColor(backendColor(name))).second) << name;
        EXPECT_EQ(backendColor(std::string(name) + "+policy-3f2a"), backendColor(name));
    }
}

}  // namespace
}  // namespace reelgrid::comparison

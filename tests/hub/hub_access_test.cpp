#include "core/hub/hub_access.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/pending_file.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

class HubAccessTest : public testing::Test {
  protected:
    fs::path m_home = fs::path(testing::TempDir()) / ("hub_access_" + std::to_string(getpid()));

    void SetUp() override {
        for (const char* name : {"HF_ENDPOINT", "HF_TOKEN", "HF_TOKEN_PATH", "HF_HOME", "HF_HUB_CACHE",
                                 "HF_HUB_OFFLINE", "XDG_CACHE_HOME"})
            unsetenv(name);
        setenv("HF_HOME", m_home.c_str(), 1);
    }
    void TearDown() override { fs::remove_all(m_home); }
};

TEST_F(HubAccessTest, HasHuggingFacesOwnDefaults) {
    const HubAccess access = HubAccess::fromEnvironment();
    EXPECT_EQ(access.endpoint, "https://huggingface.co");
    EXPECT_EQ(access.cache, m_home / "hub");
    EXPECT_EQ(access.token, "");
    EXPECT_FALSE(access.offline);
}

TEST_F(HubAccessTest, ReadsHuggingFacesOwnVariables) {
    setenv("HF_ENDPOINT", "http://mirror/", 1);
    setenv("HF_HUB_CACHE", "/cache", 1);
    setenv("HF_HUB_OFFLINE", "yes", 1);
    setenv("HF_TOKEN", " secret\n", 1);
    const HubAccess access = HubAccess::fromEnvironment();
    EXPECT_EQ(access.endpoint, "http://mirror");
    EXPECT_EQ(access.cache, "/cache");
    EXPECT_EQ(access.token, "secret");
    EXPECT_TRUE(access.offline);
}

TEST_F(HubAccessTest, LooksWhereHuggingFacesOwnProgramsDo) {
    const auto cache = [] { return HubAccess::fromEnvironment().cache; };
    setenv("HOME", m_home.c_str(), 1);
    setenv("HF_HOME", "~/models/hf", 1);
    EXPECT_EQ(cache(), m_home / "models/hf/hub");
    unsetenv("HF_HOME");
    EXPECT_EQ(cache(), m_home / ".cache/huggingface/hub");
    setenv("XDG_CACHE_HOME", "/large", 1);
    EXPECT_EQ(cache(), "/large/huggingface/hub");
    setenv("HF_HUB_CACHE", "~/hub", 1);
    EXPECT_EQ(cache(), m_home / "hub");
    setenv("HF_HUB_CACHE", "~other/hub", 1);
    EXPECT_EQ(cache(), "~other/hub");
}

TEST_F(HubAccessTest, TakesTheTokenThatALogInLeft) {
    writeFile(m_home / "token", "stored\n").value();
    EXPECT_EQ(HubAccess::fromEnvironment().token, "stored");
}

}  // namespace
}  // namespace reelgrid::hub

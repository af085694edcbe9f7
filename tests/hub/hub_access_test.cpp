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
        for (const char* name :
             {"HF_ENDPOINT", "HF_TOKEN", "HF_TOKEN_PATH", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE"})
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

TEST_F(HubAccessTest, TakesTheTokenThatALogInLeft) {
    writeFile(m_home / "token", "stored\n").value();
    EXPECT_EQ(HubAccess::fromEnvironment().token, "stored");
}

}  // namespace
}  // namespace reelgrid::hub

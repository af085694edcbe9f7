#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using testing::HasSubstr;

/// libgomp says on stderr at its start what it goes by. The tests' own environment names a policy, which
/// these go without.
class OpenMpSpinning : public testing::Test {
  protected:
    OpenMpSpinning() {
        if (const char* policy = std::getenv(kPolicy)) m_policy = policy;
        unsetenv(kPolicy);
    }
    ~OpenMpSpinning() override {
        if (m_policy) setenv(kPolicy, m_policy->c_str(), 1);
    }
    static std::string said(std::map<std::string, std::string> environment) {
        environment["OMP_DISPLAY_ENV"] = "VERBOSE";
        return runProgram({"--version"}, "", environment).errors;
    }
    static constexpr const char* kPolicy = "OMP_WAIT_POLICY";

  private:
    std::optional<std::string> m_policy;
};

TEST_F(OpenMpSpinning, IsShortWhereTheEnvironmentSaysNothing) {
    EXPECT_THAT(said({}), HasSubstr("GOMP_SPINCOUNT = '10000'"));
}

TEST_F(OpenMpSpinning, IsTheUsersWhereTheEnvironmentNamesACount) {
    EXPECT_THAT(said({{"GOMP_SPINCOUNT", "777"}}), HasSubstr("GOMP_SPINCOUNT = '777'"));
}

TEST_F(OpenMpSpinning, FollowsAPolicyOfTheUsers) {
    EXPECT_THAT(said({{kPolicy, "PASSIVE"}}), HasSubstr("GOMP_SPINCOUNT = '0'"));
}

}  // namespace
}  // namespace reelgrid::cli

#include "core/tune/step_cache_fit.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"

namespace reelgrid::tune {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(StepCacheFit, IsNumPysPolyfit) {
    const std::vector<double> x{0.01, 0.02, 0.035, 0.05, 0.08, 0.12, 0.2},
        y{0.03, 0.05, 0.06, 0.1, 0.13, 0.22, 0.5};
    // numpy 2.4.6: numpy.polyfit(x, y, 4), numpy.polyfit(x, y, 1)
    EXPECT_THAT(fitPolynomial(x, y, 4),
                ElementsAre(DoubleNear(-427.49742624748546, 1e-6), DoubleNear(204.2917678296705, 1e-6),
                            DoubleNear(-23.07814769871076, 1e-7), DoubleNear(2.3205007696366984, 1e-8),
                            DoubleNear(0.008722134059798662, 1e-9)));
    EXPECT_THAT(fitPolynomial(x, y, 1),
                ElementsAre(DoubleNear(2.395630429060279, 1e-9), DoubleNear(-0.020535667280863416, 1e-9)));
}

TEST(StepCacheFit, PutsEachStepsRatioAtItsPlaceAndIsReadBack) {
    std::vector<RecordedStep> recorded;
    for (const int step : {1, 2, 4}) recorded.push_back({step, 0.1 * step, 0.2 * step, 1 - 0.01 * step});
    const auto curves = fitStepCaches("mine", 6, recorded);
    ASSERT_TRUE(curves);
    EXPECT_THAT(curves->magcache, ElementsAre(1, 0.99, 0.98, 1, 0.96, 1));
    ASSERT_EQ(curves->teacache.size(), 3U) << "three points make no more than a parabola";
    EXPECT_NEAR(curves->teacache[1], 2, 1e-9);
    const std::string file = testing::TempDir() + "curves.json";
    ASSERT_TRUE(writeFile(file, toJson(*curves).dump()));
    const auto tea = protocol::stepCacheFromOption("teacache:0.1@" + file);
    ASSERT_TRUE(tea) << tea.error().message;
    EXPECT_EQ(tea->curve, curves->teacache);
    EXPECT_EQ(tea->curveModel, "mine");
    EXPECT_EQ(protocol::stepCacheFromOption("magcache:0.1:3@" + file)->curve, curves->magcache);
    EXPECT_THAT(protocol::stepCacheFromOption("taylorseer:3@" + file).error().message,
                HasSubstr("teacache or magcache before @ was needed"));
    EXPECT_THAT(protocol::stepCacheFromOption("teacache:0.1@" + file + ".not").error().message,
                HasSubstr("curves.json.not"));
    ASSERT_TRUE(writeFile(file, R"({"teacache": []})"));
    EXPECT_THAT(protocol::stepCacheFromOption("teacache:0.1@" + file).error().message,
                HasSubstr("the file has no coefficients of it"));
    std::filesystem::remove(file);
}

TEST(StepCacheFit, WritesNothingThatIsNotReadBack) {
    std::vector<RecordedStep> recorded{{1, 0.1, 0.2, 1}, {2, 0.2, 0.3, -1}, {3, 0.3, 0.4, 1}};
    const auto curves = fitStepCaches("mine", 4, recorded);
    ASSERT_FALSE(curves);
    EXPECT_EQ(
        curves.error().message,
        "--step-cache record: the render of mine tells magcache -1.0: a number above 0 and at most 1000 "
        "was needed");
    recorded[1].magnitude = 1;
    for (RecordedStep& step : recorded) step.added = 0;
    EXPECT_THAT(fitStepCaches("mine", 4, recorded).error().message, HasSubstr("isn't 0 everywhere"));
}

TEST(StepCacheFit, NeedsTwoChanges) {
    const auto curves = fitStepCaches("mine", 2, {{1, 0.1, 0.2, 1}});
    ASSERT_FALSE(curves);
    EXPECT_THAT(curves.error().message, HasSubstr("--num-inference-steps 2: changes of at least 2 steps"));
}

}  // namespace
}  // namespace reelgrid::tune

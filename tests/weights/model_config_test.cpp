#include "core/weights/model_config.h"

#include <gmock/gmock.h>

#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

const ModelConfig kConfig(
    nlohmann::json::parse(R"({"heads": 3, "eps": 1e-6, "mult": [1, 2], "zero": 0, "none": null})"),
    "config.json");

TEST(ModelConfig, ReadsWhatIsThere) {
    EXPECT_EQ(kConfig.positive("heads"), 3);
    EXPECT_EQ(kConfig.number("eps"), 1e-6);
    EXPECT_THAT(kConfig.integers("mult"), testing::ElementsAre(1, 2));
    EXPECT_EQ(kConfig.positiveOr("none", 7), 7);
}

TEST(ModelConfig, NamesFileKeyValueAndNeed) {
    try {
        (void)kConfig.positive("zero");
        FAIL() << "zero was accepted";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    testing::StartsWith("config.json: zero is 0, a whole number from 1"));
    }
    EXPECT_THROW((void)kConfig.positive("missing"), Failure);
    EXPECT_THROW((void)kConfig.positive("heads", 2), Failure);
    EXPECT_THROW((void)kConfig.text("heads"), Failure);
    EXPECT_THROW((void)kConfig.flagOr("heads", true), Failure);
}

}  // namespace
}  // namespace reelgrid::weights

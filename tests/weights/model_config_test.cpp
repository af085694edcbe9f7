#include "core/weights/model_config.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/pending_file.h"
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

TEST(ModelConfig, TakesANullForFalseAsPythonDoes) {
    const ModelConfig config({{"null", nullptr}, {"on", true}}, "config.json");
    EXPECT_FALSE(config.flagOr("null", true));
    EXPECT_TRUE(config.flagOr("missing", true));
    EXPECT_TRUE(config.flagOr("on", false));
}

/// As Python's json writes a scheduler's lambda_min_clipped.
TEST(ModelConfig, NamesAnInfinityWhereANumberIsNeeded) {
    const ModelConfig config(
        parseJson(R"({"_class_name": "Some", "shift": -Infinity})", "config.json", JsonDialect::Python)
            .value(),
        "config.json");
    EXPECT_EQ(config.text("_class_name"), "Some");
    try {
        (void)config.number("shift");
        FAIL() << "-Infinity was accepted";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    testing::StartsWith("config.json: shift is \"-Infinity\", a number was needed"));
    }
}

TEST(ModelConfig, SaysWhichFileIsMissingOrDamaged) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("model_config_" + std::to_string(getpid()));
    const auto messageOf = [&] {
        try {
            (void)ModelConfig::read(folder);
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return std::string("read");
    };
    EXPECT_THAT(messageOf(), testing::HasSubstr("config.json: no such file"));
    ASSERT_TRUE(writeFile(folder / "config.json", "{\"a\":"));
    EXPECT_THAT(messageOf(), testing::HasSubstr("config.json: not JSON at byte"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace reelgrid::weights

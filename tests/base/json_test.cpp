#include "core/base/json.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"

namespace reelgrid {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Json, OfPythonMayHoldItsThreeConstants) {
    const char* text = R"({"a": -Infinity, "b": [Infinity, NaN], "c": "-Infinity \" NaN", "d": -1})";
    const auto parsed = parseJson(text, "config", JsonDialect::Python);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->at("a"), "-Infinity");
    EXPECT_EQ(parsed->at("b"), nlohmann::json({"Infinity", "NaN"}));
    EXPECT_EQ(parsed->at("c"), "-Infinity \" NaN");
    EXPECT_EQ(parsed->at("d"), -1);
    EXPECT_FALSE(parseJson(text, "config"));
    EXPECT_FALSE(parseJson(R"({"a": Infinit})", "config", JsonDialect::Python));
}

TEST(Json, ErrorsNameWhatAndWhere) {
    EXPECT_THAT(parseJson("{\"a\":", "message").error().message, StartsWith("message: not JSON at byte 6"));
    EXPECT_EQ(parseJson(R"({"1e999": [1, -1e999]})", "message").error().message,
              "message: a number that is too large at byte 15: -1e999");
    EXPECT_THAT(parseJson(std::string(100'000, '['), "message").error().message,
                HasSubstr("nested 100000 deep"));
}

TEST(Json, KeysThatAnObjectHasTwiceAreFound) {
    const auto once = [](std::string_view text) {
        return parseJson(text, "file", JsonDialect::Python, RepeatedKeys::Refused);
    };
    const char* good = R"({"a": {"b": 1}, "b": [{"a": 1}, {"a": 2}]})";
    ASSERT_TRUE(once(good));
    EXPECT_EQ(*once(good), parseJson(good, "file").value());
    for (const char* text :
         {R"({"a": 1, "b": 2, "a": 3})", R"([{"c": {"a": 1, "a": 1}}])", R"({"n": NaN, "a": 1, "a": 1})"}) {
        const auto checked = once(text);
        ASSERT_FALSE(checked) << text;
        EXPECT_EQ(checked.error().message, "file: \"a\" is there twice, once was needed");
    }
    EXPECT_EQ(parseJson(R"({"a": 1, "a": 2})", "file").value().at("a"), 2) << "as in Python";
    EXPECT_THAT(once("{\"a\":").error().message, StartsWith("file: not JSON at byte 6"));
}

TEST(Json, FilesHoldOneObject) {
    const std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / ("json_" + std::to_string(getpid()));
    EXPECT_EQ(readJsonObject(path).error().code, ErrorCode::NotFound);
    ASSERT_TRUE(writeFile(path, "[1, 2]"));
    EXPECT_THAT(readJsonObject(path).error().message, HasSubstr("holds [1,2], a JSON object was needed"));
    ASSERT_TRUE(writeFile(path, R"({"lambda_min_clipped": -Infinity})"));
    EXPECT_TRUE(readJsonObject(path));
    EXPECT_EQ(readJsonObject(path, 3).error().code, ErrorCode::InvalidData);
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace reelgrid

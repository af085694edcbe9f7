#include "core/protocol/step_cache.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/render_request.h"
#include "core/protocol/step_cache_json.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Method = StepCache::Method;

StepCache cacheOf(const std::string& text) {
    const auto cache = stepCacheFrom(text);
    EXPECT_TRUE(cache) << cache.error().message;
    return cache ? *cache : StepCache();
}

TEST(StepCache, IsWrittenAsItIsRead) {
    for (const char* text : {"0", "0.28", "teacache:0.1", "teacache:0", "magcache:0.12", "magcache:0.12:4",
                             "magcache:0.12:2:0.1", "taylorseer:3", "taylorseer:5:2", "record"}) {
        EXPECT_EQ(textOf(cacheOf(text)), text);
        const auto again = stepCacheFromJson(json::parse(toJson(cacheOf(text)).dump()));
        ASSERT_TRUE(again) << text;
        EXPECT_EQ(*again, cacheOf(text));
    }
    const StepCache mag = cacheOf("magcache:0.12:4:0.1");
    EXPECT_EQ(mag.method, Method::MagCache);
    EXPECT_EQ(mag.mostSkips, 4);
    EXPECT_EQ(mag.wholeShare, 0.1);
    const StepCache taylor = cacheOf("taylorseer:5:2");
    EXPECT_EQ(taylor.interval, 5);
    EXPECT_EQ(taylor.order, 2);
    EXPECT_EQ(textOf(cacheOf("magcache:0.12:2:0.2")), "magcache:0.12") << "what is usual";
}

TEST(StepCache, ANumberIsFirstBlockCachingAsItAlwaysWas) {
    EXPECT_EQ(toJson(StepCache(0.28)), json(0.28));
    EXPECT_EQ(cacheOf("0.28"), StepCache(0.28));
    EXPECT_FALSE(StepCache().isOn());
    EXPECT_FALSE(cacheOf("0").isOn());
    EXPECT_TRUE(cacheOf("teacache:0").isOn()) << "it is there, and skips nothing";
}

TEST(StepCache, ANameAloneHasUsualNumbers) {
    EXPECT_EQ(textOf(cacheOf("teacache")), "teacache:0.1");
    EXPECT_EQ(textOf(cacheOf("magcache")), "magcache:0.12");
    EXPECT_EQ(textOf(cacheOf("taylorseer")), "taylorseer:3");
}

TEST(StepCache, SaysWhatItCannotRead) {
    for (const char* text :
         {"", "1.5", "-0.1", "nan", "teacaches", "teacache:", "teacache:2", "teacache:0.1:3",
          "magcache:0.1:0", "magcache:0.1:1.5", "magcache:0.1:2:3", "magcache:0.1:2:0.1:9", "taylorseer:0",
          "taylorseer:2:9", "taylorseer:2.5", "easycache:0.1", "0.1:2"}) {
        const auto cache = stepCacheFrom(text);
        ASSERT_FALSE(cache) << text;
        EXPECT_EQ(cache.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(cache.error().message, HasSubstr(std::string("--step-cache ") + text + ": ")) << text;
        EXPECT_THAT(cache.error().message, HasSubstr("needed")) << text;
    }
}

TEST(StepCache, ACurveComesWithItInJson) {
    const json given = {{"cache", "teacache:0.1"}, {"curve", {2, -1, 0.5}}};
    const auto cache = stepCacheFromJson(given);
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_THAT(cache->curve, testing::ElementsAre(2, -1, 0.5));
    EXPECT_EQ(toJson(*cache), given);
    for (const auto& [wrong, why] :
         {std::pair{json{{"cache", "taylorseer:3"}, {"curve", {1}}}, "of teacache or magcache was needed"},
          {json{{"cache", "teacache:0.1"}, {"curve", {"x"}}}, "curve \"x\": a number was needed"},
          {json{{"cache", "teacache:0.1"}, {"curve", json::array_t(17, 1)}}, "at most 16"},
          {json{{"curve", {1}}}, "cache"},
          {json{{"cache", "magcache:0.1"}, {"curve", {1, -1, 1}}},
           "the ratio -1: a number above 0 and at most 1000 was needed"},
          {json{{"cache", "magcache:0.1"}, {"curve", {1, 1e300}}}, "the ratio 1e+300: a number above 0"},
          {json{{"cache", "teacache:0.1"}, {"curve", {0, 0}}}, "a polynomial that says something was needed"},
          {json{{"cache", "teacache:0.1"}, {"curve", {1}}, {"model", 7}}, "model 7: text was needed"},
          {json(true), "a number, a text or an object was needed"}}) {
        const auto refused = stepCacheFromJson(wrong);
        ASSERT_FALSE(refused) << wrong;
        EXPECT_THAT(refused.error().message, HasSubstr(why));
    }
    json ofModel = given;
    ofModel["model"] = "demo";
    EXPECT_EQ(stepCacheFromJson(ofModel)->curveModel, "demo");
    EXPECT_EQ(toJson(*stepCacheFromJson(ofModel)), ofModel);
    const auto request = renderRequestFromJson({{"step_cache", "teacache:7"}});
    ASSERT_FALSE(request);
    EXPECT_THAT(request.error().message, HasSubstr("--step-cache teacache:7"));
}

class StepCacheFile : public testing::Test {
  protected:
    const std::string m_file = testing::TempDir() + "step_cache_" + std::to_string(getpid()) + ".json";
    void TearDown() override { std::filesystem::remove(m_file); }

    Result<StepCacheCurves> read(const std::string& text) const {
        writeFile(m_file, text).value();
        return readStepCacheCurves(m_file);
    }
};

TEST_F(StepCacheFile, SaysWhoseItsCoefficientsAre) {
    ASSERT_TRUE(read(R"({"model": "demo", "steps": 3, "magcache": [1, 0.9, 0.8], "teacache": [0, 2]})"));
    const auto cache = stepCacheFromOption("magcache:0.12@" + m_file);
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_EQ(cache->curveModel, "demo");
    EXPECT_THAT(cache->curve, testing::ElementsAre(1, 0.9, 0.8));
    ASSERT_TRUE(read(R"({"teacache": [2, 1]})")) << "whose and of how many steps need not be said";
    EXPECT_EQ(stepCacheFromOption("teacache@" + m_file)->curveModel, "");
}

TEST_F(StepCacheFile, RefusesWhatNoRecordingSays) {
    for (const auto& [text, why] : {
             std::pair{R"({"steps": 50, "magcache": [1, 1, 1]})",
                       "steps 50: as many as magcache has entries, 3, was needed"},
             {R"({"magcache": [1]})", "magcache has 1 entries: one for each of at least 3 steps was needed"},
             {R"({"magcache": [1, 0, 1]})", "magcache 0.0: a number above 0 and at most 1000 was needed"},
             {R"({"magcache": [1, -1, 1]})", "magcache -1.0: a number above 0"},
             {R"({"magcache": [1, 1e300, 1]})", "magcache 1e+300: a number above 0"},
             {R"({"magcache": [1, NaN, 1]})", "magcache \"NaN\": a number was needed"},
             {R"({"magcache": [1, 1e999, 1]})", "a number that is too large at byte 18: 1e999"},
             {R"({"teacache": [0, 0.0]})", "teacache [0.0,0.0]: a polynomial that isn't 0 everywhere"},
             {R"({"teacache": [1], "teacache": [2]})", "\"teacache\" is there twice, once was needed"},
             {R"({"embedding_change": [1, 2], "added_change": [1]})",
              "added_change has 1 entries: as many as embedding_change, 2, was needed"},
             {R"({"added_change": [-1]})", "added_change -1.0: a change, 0 or more was needed"},
         }) {
        const auto refused = read(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidData);
        EXPECT_THAT(refused.error().message, testing::StartsWith(m_file + ": ")) << text;
        EXPECT_THAT(refused.error().message, HasSubstr(why)) << text;
    }
}

TEST_F(StepCacheFile, OfTheMiniaturesIsTaken) {
    int files = 0;
    for (const auto& model : std::filesystem::directory_iterator(REELGRID_SOURCE_DIR "/resources/models")) {
        const auto file = model.path() / "step-cache.json";
        if (!std::filesystem::exists(file)) continue;
        const auto curves = readStepCacheCurves(file);
        EXPECT_TRUE(curves) << curves.error().message;
        ++files;
    }
    EXPECT_GE(files, 4);
}

TEST_F(StepCacheFile, HasItsNameBehindTheAt) {
    for (const auto& [text, why] :
         {std::pair{"@x", "--step-cache @x: teacache or magcache before @ was needed"},
          {"teacache:0.1@", "--step-cache teacache:0.1@: the coefficients' file behind @ was needed"}}) {
        const auto refused = stepCacheFromOption(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(refused.error().message, HasSubstr(why));
    }
}

TEST(StepCache, IsAPartOfWhatARenderIsCalled) {
    RenderRequest request;
    for (const auto& [text, name] : {std::pair{"0.28", "sdpa+cache-0.28"},
                                     {"teacache:0.1", "sdpa+teacache-0.1"},
                                     {"magcache:0.12:4", "sdpa+magcache-0.12-4"},
                                     {"taylorseer:3", "sdpa+taylorseer-3"},
                                     {"0", "sdpa"},
                                     {"record", "sdpa"}}) {
        request.stepCache = cacheOf(text);
        EXPECT_EQ(attentionName(request), name);
    }
}

}  // namespace
}  // namespace reelgrid::protocol

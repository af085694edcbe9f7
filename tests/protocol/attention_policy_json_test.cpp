#include "core/protocol/attention_policy_json.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"

namespace reelgrid::protocol {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

Result<AttentionPolicy> parsed(const char* text) {
    return attentionPolicyFromJson(json::parse(text));
}

TEST(AttentionPolicyJson, ReadsEverySelector) {
    const auto policy = parsed(R"({"rules": [
        {"backend": "fav2", "module": "all", "layers": [0, 3], "steps": -1, "branch": "unconditional"},
        {"backend": "sagev1"}]})");
    ASSERT_TRUE(policy) << policy.error().message;
    const AttentionPolicy expected{{{.backend = "fav2",
                                     .module = std::nullopt,
                                     .layers = IndexRange{0, 3},
                                     .steps = IndexRange{-1, -1},
                                     .branch = GuidanceBranch::Unconditional},
                                    {.backend = "sagev1", .module = ModuleKind::Self}}};
    EXPECT_EQ(*policy, expected);
    const auto again = attentionPolicyFromJson(json::parse(toJson(*policy).dump()));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, expected);
}

TEST(AttentionPolicyJson, ReadsRangesInEverySpelling) {
    for (const auto& [text, range] : {std::pair{"7", IndexRange{7, 7}},
                                      {"[2, 5]", {2, 5}},
                                      {"[-2, -1]", {-2, -1}},
                                      {"[1, -2]", {1, -2}},
                                      {"\"7\"", {7, 7}},
                                      {"\"-1\"", {-1, -1}},
                                      {"\"0-3\"", {0, 3}},
                                      {"\"0..3\"", {0, 3}},
                                      {"\"-2..-1\"", {-2, -1}},
                                      {"\"-2--1\"", {-2, -1}},
                                      {"\"1--2\"", {1, -2}}}) {
        const auto policy =
            attentionPolicyFromJson({{"rules", {{{"backend", "fav2"}, {"steps", json::parse(text)}}}}});
        ASSERT_TRUE(policy) << text << ": " << policy.error().message;
        EXPECT_EQ(policy->rules[0].steps, range) << text;
    }
}

struct BadPolicy {
    const char* text;
    const char* where;
    const char* value;
};
class RejectsPolicy : public testing::TestWithParam<BadPolicy> {};

TEST_P(RejectsPolicy, NamingRuleFieldAndValue) {
    const auto policy = parsed(GetParam().text);
    ASSERT_FALSE(policy);
    EXPECT_EQ(policy.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(policy.error().message, HasSubstr(GetParam().where));
    EXPECT_THAT(policy.error().message, HasSubstr(GetParam().value));
    EXPECT_THAT(policy.error().message, testing::AnyOf(HasSubstr("needed"), HasSubstr("missing")));
}

INSTANTIATE_TEST_SUITE_P(
    All, RejectsPolicy,
    testing::Values(
        BadPolicy{"[]", "attention policy", "an object"}, BadPolicy{"{}", "rules", "missing"},
        BadPolicy{R"({"rules": []})", "rules", "no entries"}, BadPolicy{R"({"rules": {}})", "rules", "{}"},
        BadPolicy{R"({"rules": [3]})", "rule 1", "3"},
        BadPolicy{R"({"rules": [{"backend": "fav2"}], "rule": []})", "\"rule\"", "rules was needed"},
        BadPolicy{R"({"rules": [{"backend": "fav2"}, {}]})", "rule 2: backend", "missing"},
        BadPolicy{R"({"rules": [{"backend": 7}]})", "rule 1: backend", "7"},
        BadPolicy{R"({"rules": [{"backend": "a", "layer": 3}]})", "rule 1: \"layer\"", "one of backend"},
        BadPolicy{R"({"rules": [{"backend": "a", "backend, module": 3}]})", "rule 1", "backend, module\""},
        BadPolicy{R"({"rules": [{"backend": "a", "module": "both"}]})", "rule 1: module", "\"both\""},
        BadPolicy{R"({"rules": [{"backend": "a", "module": true}]})", "rule 1: module", "true"},
        BadPolicy{R"({"rules": [{"backend": "a", "branch": "negative"}]})", "rule 1: branch", "\"negative\""},
        BadPolicy{R"({"rules": [{"backend": "a", "layers": 1.5}]})", "rule 1: layers", "1.5"},
        BadPolicy{R"({"rules": [{"backend": "a", "layers": [1]}]})", "rule 1: layers", "[1]"},
        BadPolicy{R"({"rules": [{"backend": "a", "layers": [1, 2, 3]}]})", "rule 1: layers", "[1,2,3]"},
        BadPolicy{R"({"rules": [{"backend": "a", "layers": ["0", "1"]}]})", "rule 1: layers",
                  "[\"0\",\"1\"]"},
        BadPolicy{R"({"rules": [{"backend": "a", "layers": [3, 1]}]})", "rule 1: layers", "[3,1]"},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": [-1, -2]}]})", "rule 1: steps", "[-1,-2]"},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": "5-3"}]})", "rule 1: steps", "\"5-3\""},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": ""}]})", "rule 1: steps", "\"\""},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": "1-"}]})", "rule 1: steps", "\"1-\""},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": "a..b"}]})", "rule 1: steps", "\"a..b\""},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": 4294967296}]})", "rule 1: steps", "4294967296"},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": -9223372036854775808}]})", "rule 1: steps", "-922"},
        BadPolicy{R"({"rules": [{"backend": "a", "steps": "-2147483648"}]})", "rule 1: steps",
                  "-2147483648"}));

TEST(AttentionPolicyJson, BoundsTheNumberOfRules) {
    json object = {{"rules", json::array()}};
    for (int i = 0; i < 257; ++i) object["rules"].push_back({{"backend", "fav2"}});
    const auto policy = attentionPolicyFromJson(object);
    ASSERT_FALSE(policy);
    EXPECT_THAT(policy.error().message, HasSubstr("257 entries"));
}

TEST(AttentionPolicyJson, ReadsTheCommandLinesRules) {
    const auto policy = attentionPolicyFromRules(
        {"fav2", "sdpa:steps=-2..-1", "sagev1:module=cross,layers=3,steps=0..1,branch=conditional"});
    ASSERT_TRUE(policy) << policy.error().message;
    const AttentionPolicy expected{{{.backend = "fav2"},
                                    {.backend = "sdpa", .steps = IndexRange{-2, -1}},
                                    {.backend = "sagev1",
                                     .module = ModuleKind::Cross,
                                     .layers = IndexRange{3, 3},
                                     .steps = IndexRange{0, 1},
                                     .branch = GuidanceBranch::Conditional}}};
    EXPECT_EQ(*policy, expected);
}

TEST(AttentionPolicyJson, RefusesWrongRulesOnTheCommandLine) {
    for (const auto& [rule, says] : {std::pair{"fav2:", "\"\""},
                                     {"fav2:steps", "\"steps\""},
                                     {"fav2:steps=1,", "\"\""},
                                     {"fav2:steps=1,steps=2", "\"steps=2\""},
                                     {"fav2:backend=sdpa", "\"backend=sdpa\""},
                                     {"fav2:layer=1", "\"layer\""},
                                     {"fav2:steps=3..1", "\"3..1\""},
                                     {"fav2:module=", "module \"\""}}) {
        const auto policy = attentionPolicyFromRules({"sdpa:steps=0", rule});
        ASSERT_FALSE(policy) << rule;
        EXPECT_EQ(policy.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(policy.error().message, testing::AllOf(HasSubstr("rule 2"), HasSubstr(says)));
    }
}

class PolicyFile : public testing::Test {
  protected:
    fs::path m_file = fs::path(testing::TempDir()) / ("policy_" + std::to_string(getpid()) + ".json");
    void TearDown() override { fs::remove(m_file); }
    Result<AttentionPolicy> read(const std::string& text) {
        EXPECT_TRUE(writeFile(m_file, text));
        return readAttentionPolicy(m_file);
    }
};

TEST_F(PolicyFile, IsReadAndNamedInErrors) {
    EXPECT_TRUE(read(R"({"rules": [{"backend": "fav2"}]})"));
    for (const std::string& text :
         {std::string(), std::string("{\"rules\": "), std::string(70000, ' '), std::string(100, '['),
          std::string(R"({"rules": [{"backend": "fav2", "layers": "x"}]})")}) {
        const auto policy = read(text);
        ASSERT_FALSE(policy) << text.substr(0, 40);
        EXPECT_EQ(policy.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(policy.error().message, HasSubstr(m_file.string()));
    }
    const auto absent = readAttentionPolicy(m_file.string() + ".absent");
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, ErrorCode::NotFound);
}

TEST_F(PolicyFile, IsRefusedWhereItSaysAThingTwice) {
    for (const char* text : {R"({"rules": [{"backend": "fav2"}], "rules": [{"backend": "sla"}]})",
                             R"({"rules": [{"backend": "fav2", "backend": "sla"}]})"}) {
        const auto policy = read(text);
        ASSERT_FALSE(policy) << text;
        EXPECT_THAT(policy.error().message, HasSubstr("is there twice, once was needed"));
    }
}

TEST_F(PolicyFile, MayHaveOptionsOfBackendsBesideItsRules) {
    const SavedPolicy saved{{{{.backend = "sta"}}}, {"sta.window=3,3,3"}};
    ASSERT_TRUE(writeFile(m_file, toJson(saved).dump()));
    const auto again = readSavedPolicy(m_file);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->policy, saved.policy);
    EXPECT_EQ(again->backendOption, saved.backendOption);
    const auto ignoring = readAttentionPolicy(m_file);
    ASSERT_FALSE(ignoring);
    EXPECT_THAT(ignoring.error().message, HasSubstr("it sets backend_option"));
    const auto wrong = read(R"({"rules": [{"backend": "sta"}], "backend_option": ["sta=3"]})");
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr(m_file.string() + ": backend_option sta=3: NAME.KEY=VALUE"));
    const auto empty = read(R"({"rules": [{"backend": "sta"}], "backend_option": [""]})");
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().message, m_file.string() + ": backend_option \"\": NAME.KEY=VALUE was needed");
}

}  // namespace
}  // namespace reelgrid::protocol

#include "core/suite/suite_source.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/suite/suite_plan.h"
#include "tests/session/session_folder.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kToml = R"(# nightly
model = "demo"
prompts = [
    "a red car",   # one a line
    'a "rocket"',
]
seeds = [1, 2]
types = ["sdpa", "fav2"]
num_inference_steps = 20
guidance_scale = [2.5, 5]
attention_policy.rules = [{ backend = "fav2" }]
)";
const json kJson = {{"model", "demo"},
                    {"prompts", {"a red car", "a \"rocket\""}},
                    {"seeds", {1u, 2u}},
                    {"types", {"sdpa", "fav2"}},
                    {"num_inference_steps", 20u},
                    {"guidance_scale", {2.5, 5u}},
                    {"attention_policy", {{"rules", {{{"backend", "fav2"}}}}}}};

std::string refusal(const std::string& toml) {
    const auto source = suiteSourceFromToml(toml, "s.toml");
    return source ? "read: " + source->document.dump() : source.error().message;
}

TEST(SuiteSource, TomlSaysWhatJsonSays) {
    const auto source = suiteSourceFromToml(kToml, "s.toml");
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->document, kJson);
    EXPECT_TRUE(source->document["seeds"][0].is_number_unsigned()) << "as of JSON";
    EXPECT_EQ(source->lines.at("model"), 2);
    EXPECT_EQ(source->lines.at("types"), 8);
}

TEST(SuiteSource, AFilesNameSaysItsLanguage) {
    const session::SessionFolder folder;
    std::ofstream(folder.path() / "a.toml") << kToml;
    std::ofstream(folder.path() / "a.json") << kJson.dump();
    const auto toml = readSuiteSource(folder.path() / "a.toml"),
               document = readSuiteSource(folder.path() / "a.json");
    ASSERT_TRUE(toml && document);
    EXPECT_EQ(toml->document, document->document);
    EXPECT_TRUE(document->lines.empty());
    EXPECT_EQ(readSuiteSource(folder.path() / "none.toml").error().code, ErrorCode::NotFound);
    for (const char* name : {"wrong.toml", "wrong.json"}) {
        std::ofstream(folder.path() / name) << "a list";
        EXPECT_EQ(readSuiteSource(folder.path() / name).error().code, ErrorCode::BadUsage) << name;
    }
}

TEST(SuiteSource, TheSameErrorHasTheLineInToml) {
    const auto said = [](const std::string& toml) {
        const SuiteSource source = suiteSourceFromToml(toml, "s.toml").value();
        const Error ofKeys = suitePlanFrom(source.document, ".").error();
        const SuiteSource asJson{"s.json", source.document, {}};
        EXPECT_EQ(asJson.place(ofKeys).message, "s.json: " + ofKeys.message);
        EXPECT_THAT(source.place(ofKeys).message, testing::EndsWith(": " + ofKeys.message));
        return source.place(ofKeys).message;
    };
    EXPECT_THAT(said("prompt = \"a\"\n\ncolours = [\"red\"]\n"),
                StartsWith("s.toml:3: colours: no field of a render"));
    EXPECT_THAT(said("prompt = \"num_frames\"\nnum_frames = \"many\"\n"), StartsWith("s.toml:2: "));
    EXPECT_THAT(said("prompt = \"a\"\nseeds = []\n"), StartsWith("s.toml:2: seeds []"));
    EXPECT_THAT(said("prompts = [\"a\"]\nseeds = [1, 1]\n"), StartsWith("s.toml:2: seed 1: each value once"));
    EXPECT_THAT(said("prompts = 3\n"), StartsWith("s.toml:1: prompts 3: a list was needed"));
    for (const char* nothing : {"", "\n\n", "# prompts = [\"a\"]\n"})
        EXPECT_THAT(said(nothing), StartsWith("s.toml: it says nothing, at least one field"));
}

TEST(SuiteSource, AFieldIsSaidByItsKeyAndNotAsAnOption) {
    const SuiteSource source =
        suiteSourceFromToml("prompt = \"a\"\nnum_frames = 6\nscheduler = \"ddim\"\n", "s.toml").value();
    const auto said = [&](const char* message) {
        return source.place({ErrorCode::BadUsage, message}).message;
    };
    EXPECT_EQ(said("--num-frames 6: 4n + 1 was needed"), "s.toml:2: num_frames 6: 4n + 1 was needed");
    EXPECT_EQ(said("--scheduler ddim: unipc was needed"), "s.toml:3: scheduler ddim: unipc was needed");
}

TEST(SuiteSource, AnEmptyTextHasItsLine) {
    const SuiteSource source = suiteSourceFromToml("prompt = \"\"\ndtype = \"\"\n", "s.toml").value();
    const auto plan = suitePlanFrom(source.document, ".");
    ASSERT_FALSE(plan);
    EXPECT_EQ(source.place(plan.error()).message, "s.toml:2: dtype \"\": some text was needed");
}

TEST(SuiteSource, WhatIsNoTomlIsRefusedWithItsLine) {
    EXPECT_THAT(refusal("a = 1\nb = \n"), StartsWith("s.toml:2: not TOML: "));
    EXPECT_THAT(refusal("a = 1\na = 2\n"), StartsWith("s.toml:2: not TOML: "));
    EXPECT_THAT(refusal("a = 'open\n"), StartsWith("s.toml:1: not TOML: "));
    EXPECT_THAT(refusal("\xff\xfe"), HasSubstr("not TOML: "));
    EXPECT_THAT(refusal("a = 99999999999999999999\n"), HasSubstr("not TOML: "));
}

TEST(SuiteSource, OutsideOfTextsTomlIsAscii) {
    EXPECT_THAT(refusal("a = 1\ngr\u00f6\u00dfe = 2\n"),
                StartsWith("s.toml:2: not TOML: a character that isn't ASCII"));
    EXPECT_THAT(refusal("a = 'x' \ufcff\n"), StartsWith("s.toml:1: not TOML: "));
    EXPECT_THAT(refusal("a = 9N\"\"\"9\ufcff9\n"), StartsWith("s.toml:1: not TOML: a quoted text within"));
    for (const char* good :
         {"\xEF\xBB\xBFprompt = \"\u00e9 \\\" \u00e9\" # \u00e9\n", "prompt = '\u00e9' # '\nseed = 1\n",
          "prompt = \"\"\"\n\u00e9 \"\" \u00e9\"\"\"\"\"\nmodel = '''\u00e9'''\n", "'\u00e9' = 1\n"}) {
        const auto source = suiteSourceFromToml(good, "s.toml");
        EXPECT_TRUE(source) << good << ": " << (source ? "" : source.error().message);
    }
}

TEST(SuiteSource, WhatJsonLacksIsRefused) {
    EXPECT_EQ(refusal("x = 1\nwhen = 1979-05-27\n"),
              "s.toml:2: when: a date or time; a text, number, truth value or list was needed");
    EXPECT_THAT(refusal("fps = nan\n"), HasSubstr("fps: a finite number was needed"));
    EXPECT_THAT(refusal("fps = [1, -inf]\n"), HasSubstr("fps: a finite number was needed"));
}

TEST(SuiteSource, HostileNestingIsRefused) {
    const auto repeated = [](const char* part, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) text += part;
        return text;
    };
    EXPECT_THAT(refusal(repeated("a.", 100000) + "a = 1"), HasSubstr("100000 dots in a line, at most 1000"));
    const std::string most = repeated("a.", 900);
    EXPECT_THAT(refusal("[" + most + "b]\n" + most + "c = 1\n"), HasSubstr("nested more than 64 deep"));
    EXPECT_THAT(refusal("a = " + repeated("[", 100000)), HasSubstr("not TOML: "));
    EXPECT_THAT(refusal("a = " + repeated("{b = ", 100000)), HasSubstr("not TOML: "));
    EXPECT_THAT(refusal("a = " + repeated("[", 100) + repeated("]", 100)), HasSubstr("nested more than 64"));
}

}  // namespace
}  // namespace reelgrid::suite

#include "core/text/cleaning/prompt_cleaning.h"

#include <gtest/gtest.h>

#include "core/text/cleaning/html_entities.h"
#include "core/text/cleaning/utf8.h"
#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

TEST(PromptCleaning, IsWhatTheReferenceMakes) {
    const nlohmann::json cases = fixtureJson("cleaning.json");
    ASSERT_GT(cases.size(), 40U);
    for (const auto& entry : cases)
        EXPECT_EQ(cleanPrompt(entry.at("raw")), entry.at("clean").get<std::string>())
            << "of " << entry.at("raw").dump();
}

TEST(PromptCleaning, KeepsTheReadablePartOfBrokenUtf8) {
    EXPECT_EQ(cleanPrompt("a\xff b\xe2\x82"), "a\uFFFD b\uFFFD\uFFFD");
}

/// As ftfy 6.3.1 does, which of 3,000 words of two to five letters from these alphabets mends 2,973 alike.
TEST(PromptCleaning, UndoesMojibakeOfOtherAlphabets) {
    EXPECT_EQ(cleanPrompt("ÐŸÑ€Ð¸Ð²ÐµÑ‚"), "Привет");
    EXPECT_EQ(cleanPrompt("ÐºÐ¾Ñ‚ and dog"), "кот and dog");
    EXPECT_EQ(cleanPrompt("Î•Î»Î»Î¬Î´Î±"), "Ελλάδα");
    EXPECT_EQ(cleanPrompt("×©×œ"), "של");
    EXPECT_EQ(cleanPrompt("ÙˆÙ„"), "ول");
    for (const char* text : {"ÎÏ", "Øß", "Привет", "Ελλάδα"})
        EXPECT_EQ(cleanPrompt(text).size(), std::string(text).size()) << text;
}

TEST(PromptCleaning, LeavesPlainWesternTextAlone) {
    for (const char* text :
         {"Ångström…", "NÅ’s", "Ärger in Österreich: 5 € für Öl", "ÎLE, Île", "señor — ¿qué?"})
        EXPECT_EQ(decodeUtf8(cleanPrompt(text)).size(), decodeUtf8(text).size()) << text;
}

TEST(HtmlEntities, AmpersandsWithoutANameStay) {
    EXPECT_EQ(encodeUtf8(unescapeHtml(U"a & b &; &# &#; &nosuch; &")), "a & b &; &# &#; &nosuch; &");
    EXPECT_EQ(encodeUtf8(unescapeTerminatedHtml(U"&amp &lt; &#60; &#59;")), "&amp < < &#59;");
}

}  // namespace
}  // namespace reelgrid::text

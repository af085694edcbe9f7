#include <gmock/gmock.h>
#include <unistd.h>

#include "core/text/tokenizers/sentencepiece_tokenizer.h"
#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// The demo's tokenizer.json, whose vocabulary has 1536 pieces: <pad>, </s>, <unk>, ….
class ListedTokens : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
    [[nodiscard]] std::string message() const {
        EXPECT_TRUE(writeFile(m_folder / "tokenizer.json", m_tokenizer.dump()));
        return failureOf([&] { SentencePieceTokenizer tokenizer(m_folder); });
    }
    void list(const std::string& content, std::int64_t id) {
        m_tokenizer["added_tokens"].push_back({{"content", content}, {"id", id}});
    }
    const fs::path m_folder = fs::path(testing::TempDir()) / ("listed_tokens_" + std::to_string(getpid()));
    json m_tokenizer = json::parse(readFile(kDemoModel / "tokenizer" / "tokenizer.json").value());
};

TEST_F(ListedTokens, MayStandBehindTheVocabulary) {
    list("zebra", 1536);
    EXPECT_EQ(message(), "no failure");
    EXPECT_EQ(SentencePieceTokenizer(m_folder).tokenize("zebra").back(), 1536);
}

/// The vocabulary's ids counted in tokenizers, the list's here: another picture.
TEST_F(ListedTokens, AreRefusedWithIdsOtherThanTheVocabularys) {
    ASSERT_EQ(m_tokenizer["added_tokens"][0]["content"], "<pad>");
    m_tokenizer["added_tokens"][0]["id"] = 7;
    EXPECT_THAT(message(), HasSubstr("tokenizer.json: added_tokens gives \"<pad>\" the id 7, 0, its place in "
                                     "the vocabulary, was needed"));
    m_tokenizer["added_tokens"][0]["id"] = 0;
    list("zebra", 900);
    EXPECT_THAT(message(), HasSubstr("added_tokens gives \"zebra\" the id 900, which is " +
                                     m_tokenizer["model"]["vocab"][900][0].dump() +
                                     "'s in the vocabulary, one from 1536 was needed"));
}

TEST_F(ListedTokens, AreRefusedWhereOneHasTwoIdsOrTwoHaveOne) {
    list("zebra", 1536);
    list("zebra", 1537);
    EXPECT_THAT(message(),
                HasSubstr("tokenizer.json: added_tokens gives \"zebra\" the ids 1536 and 1537, one "
                          "was needed"));
    m_tokenizer["added_tokens"].back()["id"] = 1536;
    EXPECT_EQ(message(), "no failure");
    list("lion", 1536);
    EXPECT_THAT(message(), HasSubstr("added_tokens gives \"zebra\" and \"lion\" the id 1536, one of its own "
                                     "was needed for each"));
    m_tokenizer["added_tokens"].erase(m_tokenizer["added_tokens"].size() - 1);
    EXPECT_TRUE(
        writeFile(m_folder / "tokenizer_config.json",
                  R"({"added_tokens_decoder": {"1": {"content": "</s>"}, "9": {"content": "</s>"}}})"));
    EXPECT_THAT(message(),
                HasSubstr("tokenizer_config.json: added_tokens_decoder gives \"</s>\" the ids 1 and "
                          "9, one was needed"));
}

/// transformers gives tokens their place in the vocabulary, or the next ids behind it, whatever the config
/// says. Tokens that no prompt has change nothing.
TEST_F(ListedTokens, OfAConfigWithOtherIdsAreRefusedWhereTheyCount) {
    ASSERT_EQ(message(), "no failure");
    const auto says = [&](const std::string& tokens, const char* prompt) {
        EXPECT_TRUE(
            writeFile(m_folder / "tokenizer_config.json", R"({"added_tokens_decoder": {)" + tokens + "}}"));
        return failureOf([&] { static_cast<void>(SentencePieceTokenizer(m_folder).tokenize(prompt)); });
    };
    const std::string usual =
        R"("0": {"content": "<pad>"}, "1": {"content": "</s>"}, "2": {"content": "<unk>"}, )";
    const std::string piece = m_tokenizer["model"]["vocab"][900][0];
    EXPECT_EQ(
        says(usual + R"("1536": {"content": "zebra"}, "1537": {"content": "lion"})", "a zebra and a lion"),
        "no failure");
    EXPECT_THAT(
        says(R"("7": {"content": "<pad>"}, "1": {"content": "</s>"})", "a car"),
        HasSubstr("the added token \"<pad>\" has the id 7, 0, its place in the vocabulary or behind it, "
                  "was needed"));
    EXPECT_THAT(says(usual + R"("1546": {"content": "zebra"})", "a zebra"),
                HasSubstr("the added token \"zebra\" has the id 1546, 1536, its place"));
    EXPECT_EQ(says(usual + R"("1546": {"content": "zebra"})", "a car"), "no failure");
    EXPECT_THAT(says(usual + R"("9": {"content": )" + json(piece).dump() + "}", ("a " + piece).c_str()),
                HasSubstr(" has the id 9, 900, its place"));
}

/// tokenizers finds such a token between words' ends alone; here it was found within words, too.
TEST_F(ListedTokens, AreRefusedAsSingleWords) {
    list("zebra", 1536);
    m_tokenizer["added_tokens"].back()["single_word"] = false;
    EXPECT_EQ(message(), "no failure");
    m_tokenizer["added_tokens"].back()["single_word"] = true;
    EXPECT_THAT(message(),
                HasSubstr("tokenizer.json: added_tokens: entry 4: single_word is true, this version "
                          "needs false"));
}

/// tokenizers looks for these behind the normalizer: "zebra zebras" has other pieces around them there.
TEST_F(ListedTokens, OfNormalizedTextAreRefusedWhereAPromptHasThem) {
    list("zebra", 1536);
    m_tokenizer["added_tokens"].back()["normalized"] = true;
    EXPECT_EQ(message(), "no failure");
    const SentencePieceTokenizer tokenizer(m_folder);
    EXPECT_FALSE(tokenizer.tokenize("a red car").empty());
    for (const char* prompt : {"a zebra", "two zebras"})
        EXPECT_THAT(failureOf([&] { static_cast<void>(tokenizer.tokenize(prompt)); }),
                    HasSubstr("tokenizer.json: the prompt has the added token \"zebra\", whose normalized is "
                              "true, this version needs false"))
            << prompt;
}

/// Text was taken as false.
TEST_F(ListedTokens, NeedAFlagThatSpellsUnknownOnesAsBytes) {
    m_tokenizer["model"]["byte_fallback"] = "true";
    EXPECT_THAT(message(),
                HasSubstr("tokenizer.json: the model's byte_fallback is \"true\", true or false was "
                          "needed"));
}

}  // namespace
}  // namespace reelgrid::text

#include "core/text/tokenizers/sentencepiece_tokenizer.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <utility>

#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kLength = 512;

void expectReferenceIds(const fs::path& folder, const std::string& name,
                        const std::string& file = "tokens.json") {
    const SentencePieceTokenizer tokenizer(folder);
    const nlohmann::json cases = fixtureJson(file).at(name);
    ASSERT_GT(cases.size(), 15U);
    for (const auto& entry : cases) {
        const TokenIds tokens = tokenizer.encode(entry.at("text"), kLength);
        auto expected = entry.at("ids").get<std::vector<std::int64_t>>();
        EXPECT_EQ(tokens.count, expected.size()) << entry.at("text").dump();
        expected.resize(kLength, 0);
        EXPECT_EQ(tokens.ids, expected) << entry.at("text").dump();
    }
}

TEST(SentencePieceTokenizer, MatchesTheReferenceOnTheDemoModel) {
    expectReferenceIds(kDemoModel / "tokenizer", "demo");
}

TEST(SentencePieceTokenizer, MatchesTheReferenceOnATokenizerLikeUmt5s) {
    expectReferenceIds(kFixtures / "umt5-like", "umt5-like");
}

TEST(SentencePieceTokenizer, MatchesTheReferenceOnFoldersWithoutASpieceModel) {
    for (const char* name : {"saved", "converted", "lowercase"})
        expectReferenceIds(kFixtures / "json-tokenizers" / name, name, "json-tokens.json");
}

TEST(SentencePieceTokenizer, MatchesTheReferenceOnCharactersThatASpieceModelAloneWouldTreatOtherwise) {
    expectReferenceIds(kFixtures / "umt5-like", "umt5-like", "spiece-alone.json");
}

TEST(SentencePieceTokenizer, EndsAndPadsEveryPrompt) {
    const SentencePieceTokenizer tokenizer(kDemoModel / "tokenizer");
    EXPECT_THAT(tokenizer.encode("", 4).ids, ElementsAre(1, 0, 0, 0));
    EXPECT_THAT(tokenizer.encode("", 4).attentionMask(), ElementsAre(1, 0, 0, 0));
    const TokenIds cut = tokenizer.encode("a red car on a beach", 3);
    EXPECT_EQ(cut.count, 3U);
    EXPECT_EQ(cut.ids.back(), 1);
}

TEST(SentencePieceTokenizer, SaysWhatItCuts) {
    const SentencePieceTokenizer tokenizer(kDemoModel / "tokenizer");
    EXPECT_EQ(tokenizer.encode("a red car on a beach", 3).cut, "car on a beach");
    EXPECT_EQ(tokenizer.encode("a red car on a beach", 7).cut, "");
    EXPECT_EQ(tokenizer.encode("", 1).cut, "");
    const SentencePieceTokenizer sentinels(kFixtures / "umt5-like");
    const auto text = sentinels.encode("a<extra_id_0>", 1).cut;
    EXPECT_THAT(text, testing::StartsWith("a"));
    EXPECT_THAT(text, testing::EndsWith("<extra_id_0>"));
}

TEST(SentencePieceTokenizer, KnowsItsIdBound) {
    EXPECT_EQ(SentencePieceTokenizer(kDemoModel / "tokenizer").idBound(), 1535 + 1);
    const SentencePieceTokenizer sentinels(kFixtures / "umt5-like");
    EXPECT_THAT(sentinels.tokenize("<extra_id_0>"), ElementsAre(sentinels.idBound() - 1));
}

class TokenizerFolderTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("tokenizer_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
    std::string message() {
        return failureOf([&] { SentencePieceTokenizer tokenizer(m_folder); });
    }
};

TEST_F(TokenizerFolderTest, SaysWhatIsMissing) {
    EXPECT_THAT(message(), HasSubstr("spiece.model: no such file"));
    ASSERT_TRUE(writeFile(m_folder / "tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer"})"));
    ASSERT_TRUE(writeFile(m_folder / "tokenizer.json", "{}"));
    EXPECT_THAT(message(), HasSubstr("tokenizer.json: it has no model, a unigram vocabulary was needed"));
}

TEST_F(TokenizerFolderTest, OfTheDemoModelMayHaveTokenizerJsonAlone) {
    for (const char* file : {"tokenizer.json", "tokenizer_config.json"})
        fs::copy_file(kDemoModel / "tokenizer" / file, m_folder / file);
    expectReferenceIds(m_folder, "demo", "json-tokens.json");
}

/// Ids are transformers' 5.17: SentencePiece's own normalizer makes others of blanks and of "▁".
TEST(TokenizerOfTokenizers, TakesTokenizerJsonBesideASpieceModel) {
    const fs::path folder = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan/tiny-pipeline/tokenizer";
    ASSERT_TRUE(fs::exists(folder / "spiece.model"));
    const SentencePieceTokenizer tokenizer(folder);
    EXPECT_THAT(tokenizer.tokenize("   many   spaces\t\n"), ElementsAre(900, 48, 24));
    EXPECT_THAT(tokenizer.tokenize("▁x ▁"), ElementsAre(20, 516, 20, 20));
    EXPECT_THAT(tokenizer.tokenize("a cat"), ElementsAre(3, 328));
}

TEST_F(TokenizerFolderTest, NamesAStepOfTokenizerJsonThatIsNotHere) {
    const fs::path original = kDemoModel / "tokenizer" / "tokenizer.json";
    const auto messageWith = [&](const std::string& key, const nlohmann::json& value) {
        auto tokenizer = nlohmann::json::parse(readFile(original).value());
        tokenizer[nlohmann::json::json_pointer(key)] = value;
        EXPECT_TRUE(writeFile(m_folder / "tokenizer.json", tokenizer.dump()));
        return message();
    };
    using nlohmann::json;
    EXPECT_THAT(messageWith("/normalizer", json{{"type", "BertNormalizer"}}), HasSubstr("BertNormalizer"));
    EXPECT_THAT(messageWith("/normalizer", json{{"type", "Precompiled"}, {"precompiled_charsmap", "QUJD"}}),
                HasSubstr("precompiled_charsmap is damaged"));
    EXPECT_THAT(messageWith("/pre_tokenizer/prepend_scheme", "first"), HasSubstr("prepend_scheme"));
    EXPECT_THAT(messageWith("/post_processor", nullptr), HasSubstr("post_processor is null"));
    for (const json& single : {json("x"), json{{"SpecialToken", "x"}}})
        EXPECT_THAT(messageWith("/post_processor/single/1", single), HasSubstr("needs a TemplateProcessing"));
    EXPECT_THAT(messageWith("/model/type", "BPE"), HasSubstr("type is \"BPE\""));
    EXPECT_THAT(messageWith("/model/unk_id", 5000), HasSubstr("unk_id"));
    EXPECT_THAT(messageWith("/model/vocab/7", json::array({"x"})), HasSubstr("piece 7 is [\"x\"]"));
    EXPECT_THAT(messageWith("/model/vocab/7/0", ""), HasSubstr("piece 7"));
    EXPECT_THAT(messageWith("/model/vocab/7/0", "<pad>"), HasSubstr("a piece twice"));
    EXPECT_EQ(messageWith("/model/byte_fallback", true), "no failure");
    const std::string whole = readFile(original).value();
    ASSERT_TRUE(
        writeFile(m_folder / "tokenizer.json", R"({"model": {},)" + whole.substr(whole.find('{') + 1)));
    EXPECT_THAT(message(), HasSubstr("tokenizer.json: \"model\" is there twice, once was needed"));
}

/// Quadratic reading took minutes here; a bound on time would measure the machine instead.
TEST_F(TokenizerFolderTest, ReadsManyAddedTokensInOnePass) {
    constexpr int kPieces = 417, kTokens = 200'000;
    std::string config = R"({"added_tokens_decoder":{"1":{"content":"</s>"})";
    for (int i = 0; i < kTokens; ++i)
        config += ",\"" + std::to_string(kPieces + i) + R"(":{"content":"<t)" + std::to_string(i) + R"(>"})";
    ASSERT_TRUE(writeFile(m_folder / "tokenizer_config.json", config + "}}"));
    fs::copy_file(kFixtures / "umt5-like/spiece.model", m_folder / "spiece.model");
    const SentencePieceTokenizer tokenizer(m_folder);
    EXPECT_EQ(tokenizer.idBound(), kPieces + kTokens);
    std::string prompt;
    for (int i = 0; i < 8000; ++i) prompt += "<t199999>";
    EXPECT_EQ(tokenizer.tokenize(prompt), std::vector<std::int64_t>(8000, kPieces + kTokens - 1));
}

/// The library that loads pieces would call itself for each of their letters.
TEST_F(TokenizerFolderTest, RefusesAPieceOfManyLettersOrOneOfCode0) {
    const std::string letters(200'000, 'a');
    auto tokenizer = nlohmann::json::parse(readFile(kDemoModel / "tokenizer" / "tokenizer.json").value());
    tokenizer["model"]["vocab"][7][0] = letters;
    ASSERT_TRUE(writeFile(m_folder / "tokenizer.json", tokenizer.dump()));
    EXPECT_THAT(message(), HasSubstr("tokenizer.json: piece 7 has 200000 bytes, at most 1024"));
    // Field 1 of the model, field 1 of the piece: lengths as varints of three bytes.
    const auto message3 = [](const std::string& content) {
        std::string field{'\x0a'};
        for (const std::size_t shift : {0, 7, 14})
            field += static_cast<char>(((content.size() >> shift) & 0x7F) | (shift < 14 ? 0x80 : 0));
        return field + content;
    };
    const std::string model = readFile(kFixtures / "umt5-like/spiece.model").value();
    ASSERT_TRUE(writeFile(m_folder / "spiece.model", message3(message3(letters)) + model));
    EXPECT_THAT(message(), HasSubstr("spiece.model: piece 0 has 200000 bytes"));
    // Its trie takes such a character for the end; a piece that began with one ended the program.
    ASSERT_TRUE(writeFile(m_folder / "spiece.model", message3(message3(std::string("\0b", 2))) + model));
    EXPECT_THAT(message(), HasSubstr("spiece.model: piece 0 has a character of code 0, text was needed"));
}

/// Field 1 of the model, field 1 of the piece is "zq", field 2 its score.
TEST_F(TokenizerFolderTest, RefusesAScoreThatIsNotFinite) {
    const std::string model = readFile(kFixtures / "umt5-like/spiece.model").value();
    const auto messageOf = [&](const std::string& score) {
        EXPECT_TRUE(writeFile(m_folder / "spiece.model", "\x0a\x09\x0a\x02zq\x15" + score + model));
        return message();
    };
    EXPECT_EQ(messageOf(std::string("\0\0\x80\x3f", 4)), "no failure");
    EXPECT_THAT(messageOf(std::string("\0\0\x80\x7f", 4)),
                HasSubstr("spiece.model: piece 0, \"zq\", has the score inf, a finite number was needed"));
    EXPECT_THAT(messageOf(std::string("\0\0\x80\xff", 4)), HasSubstr("has the score -inf"));
    EXPECT_THAT(messageOf(std::string("\0\0\xc0\x7f", 4)), HasSubstr("has the score nan"));
}

/// Field 2 of the model, field 3 of the trainer's settings: of several the last counts.
TEST_F(TokenizerFolderTest, RefusesASpieceModelOfAnotherType) {
    const std::string model = readFile(kFixtures / "umt5-like/spiece.model").value();
    for (const char* config : {"{}", R"({"tokenizer_class": "T5Tokenizer"})"}) {
        ASSERT_TRUE(writeFile(m_folder / "tokenizer_config.json", config));
        const auto messageOf = [&](char type) {
            EXPECT_TRUE(writeFile(m_folder / "spiece.model", model + "\x12\x02\x18" + type));
            return message();
        };
        EXPECT_EQ(messageOf(1), "no failure");
        EXPECT_THAT(
            messageOf(2),
            HasSubstr("spiece.model: trainer_spec.model_type is 2 (BPE), this version needs 1 (UNIGRAM)"));
        EXPECT_THAT(messageOf(4), HasSubstr("model_type is 4 (CHAR)"));
        EXPECT_THAT(messageOf(9), HasSubstr("model_type is 9, this version"));
    }
}

TEST_F(TokenizerFolderTest, RefusesStepsThatLetATextGrowWithoutEnd) {
    auto tokenizer = nlohmann::json::parse(readFile(kDemoModel / "tokenizer" / "tokenizer.json").value());
    const nlohmann::json twice{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
    const auto withSteps = [&](int steps) {
        tokenizer["normalizer"] = {{"type", "Sequence"},
                                   {"normalizers", std::vector<nlohmann::json>(std::size_t(steps), twice)}};
        EXPECT_TRUE(writeFile(m_folder / "tokenizer.json", tokenizer.dump()));
    };
    withSteps(3);
    const auto eightfold = SentencePieceTokenizer(m_folder).tokenize("a");
    withSteps(0);
    EXPECT_EQ(eightfold, SentencePieceTokenizer(m_folder).tokenize("aaaaaaaa"));
    withSteps(60);
    const SentencePieceTokenizer growing(m_folder);
    EXPECT_THAT(failureOf([&] { (void)growing.tokenize("a car"); }),
                HasSubstr("tokenizer.json: its normalizer and pre_tokenizer make more than 1048576 bytes"));
    withSteps(65);
    EXPECT_THAT(message(), HasSubstr("at most 64 steps"));
}

TEST_F(TokenizerFolderTest, RefusesStepsThatLetWordsGrowInNumberWithoutEnd) {
    auto tokenizer = nlohmann::json::parse(readFile(kDemoModel / "tokenizer" / "tokenizer.json").value());
    // Each mark is put before the words of the other: their number grows as Fibonacci's.
    nlohmann::json steps = nlohmann::json::array();
    for (int i = 0; i < 60; ++i)
        steps.push_back({{"type", "Metaspace"}, {"replacement", i % 2 == 0 ? "x" : "y"}});
    tokenizer["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", steps}};
    ASSERT_TRUE(writeFile(m_folder / "tokenizer.json", tokenizer.dump()));
    const SentencePieceTokenizer growing(m_folder);
    EXPECT_THAT(failureOf([&] { (void)growing.tokenize("a red car"); }),
                HasSubstr("tokenizer.json: its normalizer and pre_tokenizer make more than 1048576 bytes"));
}

TEST_F(TokenizerFolderTest, RejectsDamagedFiles) {
    ASSERT_TRUE(writeFile(m_folder / "spiece.model", "not a model"));
    EXPECT_THAT(message(), HasSubstr("not a SentencePiece model"));
    std::string model = readFile(kFixtures / "umt5-like/spiece.model").value();
    model.resize(model.size() / 2);
    ASSERT_TRUE(writeFile(m_folder / "spiece.model", model));
    EXPECT_THAT(message(), HasSubstr("not a SentencePiece model"));
    fs::copy_file(kFixtures / "umt5-like/spiece.model", m_folder / "spiece.model",
                  fs::copy_options::overwrite_existing);
    ASSERT_TRUE(writeFile(m_folder / "tokenizer_config.json", "[1"));
    EXPECT_THAT(message(), HasSubstr("tokenizer_config.json"));
    ASSERT_TRUE(
        writeFile(m_folder / "tokenizer_config.json", R"({"added_tokens_decoder":{"x":{"content":"<a>"}}})"));
    EXPECT_THAT(message(), HasSubstr("added_tokens_decoder has the key \"x\", a whole number"));
}

TEST_F(TokenizerFolderTest, RefusesAHugeFileThatAnotherTakesThePlaceOf) {
    for (const auto& entry : fs::directory_iterator(kDemoModel / "tokenizer"))
        fs::copy(entry.path(), m_folder / entry.path().filename());
    ASSERT_TRUE(fs::exists(m_folder / "tokenizer.json"));
    fs::remove(m_folder / "spiece.model");
    EXPECT_EQ(SentencePieceTokenizer(m_folder).idBound(), 1535 + 1);
    for (const char* name : {"spiece.model", "vocab.json", "merges.txt"}) {
        ASSERT_TRUE(writeFile(m_folder / name, ""));
        fs::resize_file(m_folder / name, std::uintmax_t{20} << 30);  // without a byte on the disk
        EXPECT_THAT(message(), HasSubstr(std::string(name) + " has 21474836480 bytes, at most 134217728"));
        fs::remove(m_folder / name);
    }
}

TEST_F(TokenizerFolderTest, AddedTokensOfTheConfigComeFirst) {
    fs::copy_file(kFixtures / "umt5-like/spiece.model", m_folder / "spiece.model");
    ASSERT_TRUE(writeFile(m_folder / "tokenizer_config.json",
                          R"({"added_tokens_decoder":{"1":{"content":"</s>"},"417":{"content":"<mine>"}}})"));
    ASSERT_TRUE(writeFile(m_folder / "tokenizer.json", R"({"added_tokens":[{"id":7,"content":"<mine>"}]})"));
    const SentencePieceTokenizer tokenizer(m_folder);
    EXPECT_THAT(tokenizer.tokenize("<mine></s>"), ElementsAre(417, 1));
    EXPECT_EQ(tokenizer.idBound(), 418);
}

/// Ids are transformers' 5.24.
class EndsAndPads : public TokenizerFolderTest {
  protected:
    void SetUp() override {
        TokenizerFolderTest::SetUp();
        fs::copy_file(kFixtures / "umt5-like/spiece.model", m_folder / "spiece.model");
    }
    void write(const std::string& file, const nlohmann::json& content) {
        ASSERT_TRUE(writeFile(m_folder / file, content.dump()));
    }
    std::vector<std::int64_t> ids() const {
        return SentencePieceTokenizer(m_folder).encode("a red car on a beach", 11).ids;
    }
    nlohmann::json m_config{{"tokenizer_class", "T5Tokenizer"}, {"extra_ids", 300}, {"pad_token", "<pad>"}};
};

TEST_F(EndsAndPads, AreTheTokensThatTheFolderNames) {
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(ids(), ElementsAre(280, 313, 304, 415, 406, 412, 280, 277, 1, 0, 0));
    m_config["pad_token"] = {{"content", "<unk>"}};
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(ids(), ElementsAre(280, 313, 304, 415, 406, 412, 280, 277, 1, 2, 2));
    m_config["pad_token"] = "<pad>";
    m_config["eos_token"] = "<unk>";
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(ids(), ElementsAre(280, 313, 304, 415, 406, 412, 280, 277, 2, 0, 0));
    m_config["eos_token"] = "</s>";
    m_config["extra_ids"] = 0;  // mT5's
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(ids(), ElementsAre(280, 313, 304, 415, 406, 412, 280, 277, 1, 0, 0));
    m_config["eos_token"] = "<none>";
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(message(), HasSubstr("it has no token <none>"));
    m_config["eos_token"] = 7;
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(message(), HasSubstr("tokenizer_config.json: eos_token is 7, a text or an object"));
}

TEST_F(EndsAndPads, AreThoseOfTheMapWhereTheConfigListsNoTokens) {
    write("tokenizer_config.json", m_config);
    write("special_tokens_map.json", {{"pad_token", "<unk>"}});
    EXPECT_THAT(ids(), ElementsAre(280, 313, 304, 415, 406, 412, 280, 277, 1, 2, 2));
    m_config["added_tokens_decoder"] = {{"1", {{"content", "</s>"}}}};
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(ids(), ElementsAre(280, 313, 304, 415, 406, 412, 280, 277, 1, 0, 0));
}

TEST_F(EndsAndPads, FollowTokenizerJsonWhereItIsTaken) {
    const fs::path saved = kFixtures / "json-tokenizers/saved";
    auto tokenizer = nlohmann::json::parse(readFile(saved / "tokenizer.json").value());
    write("tokenizer_config.json", m_config);
    write("tokenizer.json", tokenizer);
    EXPECT_THAT(ids(), ElementsAre(280, 313, 304, 415, 406, 412, 280, 277, 1, 0, 0));
    // Of two vocabularies the reference takes tokenizer.json's.
    auto& pieces = tokenizer["model"]["vocab"];
    std::swap(pieces[280][0], pieces[313][0]);
    write("tokenizer.json", tokenizer);
    EXPECT_THAT(ids(), ElementsAre(313, 280, 304, 415, 406, 412, 313, 277, 1, 0, 0));
}

TEST_F(EndsAndPads, AreRefusedWhereThisVersionCannotFollow) {
    write("tokenizer_config.json", m_config);
    for (const char* part : {"padding", "truncation"}) {
        write("tokenizer.json", {{part, {{"direction", "Left"}}}});
        EXPECT_THAT(message(),
                    HasSubstr(std::string("tokenizer.json: ") + part + "'s direction is \"Left\""));
        auto sided = m_config;
        sided[std::string(part) + "_side"] = "right";
        write("tokenizer_config.json", sided);
        EXPECT_EQ(message(), "no failure");
        write("tokenizer_config.json", m_config);
    }
    fs::remove(m_folder / "tokenizer.json");
    write("added_tokens.json", {{"beach", 3}});
    EXPECT_THAT(message(), HasSubstr("added_tokens.json: token \"beach\" has id 3"));
    const std::int64_t first = SentencePieceTokenizer(kFixtures / "umt5-like").tokenize("<extra_id_0>").at(0);
    write("added_tokens.json", {{"<extra_id_0>", first}});
    EXPECT_EQ(message(), "no failure");
    m_config["split_special_tokens"] = true;
    write("tokenizer_config.json", m_config);
    EXPECT_THAT(message(), HasSubstr("split_special_tokens is true"));
}

TEST_F(TokenizerFolderTest, RefusesAnEndOfAnotherIdThanItsPieces) {
    for (const char* file : {"tokenizer.json", "tokenizer_config.json"})
        fs::copy_file(kDemoModel / "tokenizer" / file, m_folder / file);
    auto tokenizer = nlohmann::json::parse(readFile(m_folder / "tokenizer.json").value());
    tokenizer.at("post_processor").at("special_tokens").at("</s>")["ids"] = {2};
    fs::remove(m_folder / "tokenizer.json");
    ASSERT_TRUE(writeFile(m_folder / "tokenizer.json", tokenizer.dump()));
    EXPECT_THAT(message(), HasSubstr("post_processor's ids of </s> are [2], this version needs [1]"));
}

TEST(AddedTokens, TakeWhitespaceAlongWhereTheySaySo) {
    const AddedTokens tokens({{"<a>", 1, true, false}, {"<ab>", 2}, {"<b>", 3, false, true}});
    std::string joined;
    for (const TextPiece& piece : splitAtTokens("x <a>y <ab><b> z", tokens)) {
        joined += piece.token != nullptr ? 'T' : '\'';
        joined += piece.text;
        joined += '|';
    }
    EXPECT_EQ(joined, "'x|T<a>|'y |T<ab>|T<b>|'z|");
}

}  // namespace
}  // namespace reelgrid::text

#include "core/text/tokenizers/clip_tokenizer.h"

#include <gmock/gmock.h>

#include <fstream>
#include <utility>

#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

const fs::path kClip = REELGRID_SOURCE_DIR "/tests/fixtures/clip";

nlohmann::json clipJson(const std::string& name) {
    return nlohmann::json::parse(readFile(kClip / name).value());
}

class ClipTokenizerParity : public testing::TestWithParam<std::string> {};

TEST_P(ClipTokenizerParity, GivesTheReferencesTokens) {
    const ClipTokenizer tokenizer(kClip / GetParam());
    const auto cases = clipJson("tokens.json").at(GetParam());
    ASSERT_GT(cases.size(), 30u);
    for (const auto& each : cases) {
        const auto text = each.at("text").get<std::string>();
        const auto whole = each.at("whole").get<Ids>();
        EXPECT_EQ(tokenizer.tokenize(text), Ids(whole.begin() + 1, whole.end() - 1)) << each.at("text");
        const ClipTokenIds encoded = tokenizer.encode(text);
        EXPECT_EQ(encoded.ids, each.at("ids").get<Ids>()) << each.at("text");
        EXPECT_EQ(encoded.count, std::min<std::size_t>(whole.size(), 77)) << each.at("text");
        EXPECT_EQ(encoded.cut, each.at("cut").get<std::string>()) << each.at("text");
    }
}

INSTANTIATE_TEST_SUITE_P(Folders, ClipTokenizerParity, testing::Values("slow", "padded", "saved"),
                         [](const auto& testCase) { return testCase.param; });

TEST(ClipTokenizer, SaysWhatThereWasNoRoomFor) {
    const ClipTokenizer tokenizer(kClip / "slow");
    EXPECT_EQ(tokenizer.encode("a red car on a beach", 5).cut, "on a beach");
    EXPECT_EQ(tokenizer.encode("a red car", 5).cut, "");
    EXPECT_EQ(tokenizer.encode("a red car", 5).count, 5u);
    EXPECT_EQ(tokenizer.encode("a red car", 2).ids.size(), 2u);
    EXPECT_EQ(tokenizer.idBound(), 838);
}

class BrokenClipFolder : public testing::Test {
  protected:
    void SetUp() override {
        fs::remove_all(m_folder);
        fs::copy(kClip / "slow", m_folder);
    }
    void TearDown() override { fs::remove_all(m_folder); }
    void write(const std::string& name, const std::string& text) {
        if (fs::exists(m_folder / name))
            fs::permissions(m_folder / name, fs::perms::owner_write, fs::perm_options::add);
        std::ofstream(m_folder / name) << text;
    }
    std::string failure() {
        return failureOf([&] { (void)ClipTokenizer(m_folder); });
    }
    fs::path m_folder = fs::temp_directory_path() / "reelgrid-broken-clip-tokenizer";
};

TEST_F(BrokenClipFolder, IsRefusedWhereItsMergesAreCutShort) {
    const std::string whole = readFile(m_folder / "merges.txt").value();
    for (const std::size_t kept :
         {std::size_t{0}, whole.find('\n', whole.size() / 2), whole.rfind('\n', whole.size() - 2)}) {
        write("merges.txt", whole.substr(0, kept));
        EXPECT_THAT(failure(), HasSubstr("which no merge makes")) << kept;
    }
    write("merges.txt", whole);
    EXPECT_NO_THROW((void)ClipTokenizer(m_folder));
}

TEST_F(BrokenClipFolder, IsRefusedNamingWhatDoesNotFit) {
    write("merges.txt", "#version: 0.2\na b c\n");
    EXPECT_THAT(failure(), HasSubstr("merges.txt: the merge \"a b c\""));
    write("merges.txt", "#version: 0.2\nq zzzz\n");
    EXPECT_THAT(failure(), HasSubstr("\"zzzz\", which its vocabulary lacks"));
    write("vocab.json", R"({"a": -4})");
    EXPECT_THAT(failure(), HasSubstr("id of token \"a\" is -4"));
    write("vocab.json", R"({"a": 99999999999})");
    EXPECT_THAT(failure(), HasSubstr("is 99999999999, a whole number"));
    write("merges.txt", "");
    write("vocab.json", R"({"a": 0})");
    EXPECT_THAT(failure(), HasSubstr("lacks \"<|endoftext|>\""));
    fs::remove(m_folder / "vocab.json");
    EXPECT_THAT(failure(), HasSubstr("vocab.json"));
}

TEST_F(BrokenClipFolder, IsRefusedWherePromptsArePaddedOrCutOtherwise) {
    auto config = clipJson("slow/tokenizer_config.json");
    const auto with = [&](const char* key, const nlohmann::json& value) {
        auto changed = config;
        changed[key] = value;
        write("tokenizer_config.json", changed.dump());
    };
    for (const char* key : {"padding_side", "truncation_side"}) {
        with(key, "left");
        EXPECT_THAT(failure(), HasSubstr(std::string("tokenizer_config.json: ") + key + " is \"left\""));
        with(key, "right");
        EXPECT_NO_THROW((void)ClipTokenizer(m_folder));
    }
    with("model_max_length", 16);
    const auto lengthOf = [&](std::size_t length) {
        return failureOf([&] { ClipTokenizer(m_folder).requireLength(length); });
    };
    EXPECT_THAT(lengthOf(77), HasSubstr("model_max_length is 16, this version needs 77"));
    EXPECT_NO_THROW(ClipTokenizer(m_folder).requireLength(16));
    // What transformers writes where there is no limit.
    with("model_max_length", 1e30);
    EXPECT_NO_THROW(ClipTokenizer(m_folder).requireLength(77));
    with("model_max_length", -1);
    EXPECT_THAT(failure(), HasSubstr("model_max_length is -1"));
}

/// Ids are transformers' 5.24.
TEST_F(BrokenClipFolder, PadsByTheMapWhereTheConfigListsNoTokens) {
    const auto padOf = [&] { return ClipTokenizer(m_folder).encode("a red car", 8).ids.back(); };
    EXPECT_EQ(padOf(), 837);
    write("special_tokens_map.json", R"({"pad_token": "!"})");
    EXPECT_EQ(padOf(), 0);
    auto config = clipJson("slow/tokenizer_config.json");
    config["added_tokens_decoder"] = {{"837", {{"content", "<|endoftext|>"}}}};
    write("tokenizer_config.json", config.dump());
    EXPECT_EQ(padOf(), 837);
}

TEST_F(BrokenClipFolder, IsRefusedWhereFurtherTokensAreNotTheConfigs) {
    write("added_tokens.json", R"({"<new>": 838})");
    EXPECT_THAT(failure(), HasSubstr("added_tokens.json: token \"<new>\" has id 838"));
    write("added_tokens.json", R"({"<|endoftext|>": 837})");
    EXPECT_EQ(failure(), "no failure");
}

TEST_F(BrokenClipFolder, ReadsTokenizerJsonBeforeItsVocabulary) {
    auto tokenizer = clipJson("saved/tokenizer.json");
    auto& vocabulary = tokenizer["model"]["vocab"];
    const auto ids = [&] { return ClipTokenizer(m_folder).tokenize("a red car"); };
    const Ids before = ids();
    write("tokenizer.json", tokenizer.dump());
    EXPECT_EQ(ids(), before);
    std::swap(vocabulary["red</w>"], vocabulary["car</w>"]);
    write("tokenizer.json", tokenizer.dump());
    EXPECT_EQ(ids(), (Ids{before.at(0), before.at(2), before.at(1)}));
}

}  // namespace
}  // namespace reelgrid::text

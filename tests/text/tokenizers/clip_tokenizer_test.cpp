#include "core/text/tokenizers/clip_tokenizer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
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
        EXPECT_THAT(failure(), AllOf(HasSubstr("merges.txt: the vocabulary has"),
                                     HasSubstr("which no merge makes: merges are missing")))
            << kept;
    }
    write("merges.txt", whole);
    EXPECT_NO_THROW((void)ClipTokenizer(m_folder));
}

TEST_F(BrokenClipFolder, IsRefusedNamingWhatDoesNotFit) {
    write("merges.txt", "#version: 0.2\na b c\n");
    EXPECT_THAT(failure(), HasSubstr("merges.txt: line 2, the merge \"a b c\": two tokens and a space"));
    write("merges.txt", "#version: 0.2\nq zzzz\n");
    EXPECT_THAT(failure(), HasSubstr("merges.txt: line 2, the merge \"q zzzz\" needs \"zzzz\", which the "
                                     "vocabulary lacks"));
    write("vocab.json", R"({"a": -4})");
    EXPECT_THAT(failure(), HasSubstr("vocab.json: the id of token \"a\" is -4"));
    write("vocab.json", R"({"a": 99999999999})");
    EXPECT_THAT(failure(), HasSubstr("is 99999999999, a whole number"));
    write("merges.txt", "");
    write("vocab.json", R"({"a": 0})");
    EXPECT_THAT(failure(), HasSubstr("vocab.json: its vocabulary lacks \"<|endoftext|>\", the unk_token"));
    fs::remove(m_folder / "vocab.json");
    EXPECT_THAT(failure(), HasSubstr("vocab.json"));
}

/// transformers gives such a merge its last rank, others its first.
TEST_F(BrokenClipFolder, IsRefusedWhereAMergeIsThereTwice) {
    const std::string whole = readFile(m_folder / "merges.txt").value();
    const std::size_t second = whole.find('\n') + 1;
    const std::string merge = whole.substr(second, whole.find('\n', second) - second);
    write("merges.txt", whole + merge + "\n");
    const auto lines = std::count(whole.begin(), whole.end(), '\n');
    EXPECT_THAT(failure(), HasSubstr("merges.txt: line " + std::to_string(lines + 1) + ", the merge \"" +
                                     merge + "\" is that of line 2 again, each was needed once"));
    auto tokenizer = clipJson("saved/tokenizer.json");
    auto& listed = tokenizer["model"]["merges"];
    listed.push_back(listed.front());
    write("tokenizer.json", tokenizer.dump());
    EXPECT_THAT(failure(), AllOf(HasSubstr("tokenizer.json: entry 325, the merge"),
                                 HasSubstr("is that of entry 1 again")));
}

TEST_F(BrokenClipFolder, IsRefusedWhereAMergeIsMissingWithinWords) {
    auto vocabulary = clipJson("slow/vocab.json");
    vocabulary["qzq"] = 838;
    write("vocab.json", vocabulary.dump());
    EXPECT_THAT(failure(), HasSubstr("merges.txt: the vocabulary has \"qzq\", which no merge makes"));
    // Texts are cut at tokens that are added, so that no merge is needed for them.
    auto config = clipJson("slow/tokenizer_config.json");
    config["added_tokens_decoder"] = {{"838", {{"content", "qzq"}}}};
    write("tokenizer_config.json", config.dump());
    EXPECT_EQ(failure(), "no failure");
}

TEST_F(BrokenClipFolder, IsRefusedWhereAMergeComesBeforeThoseOfItsParts) {
    auto vocabulary = clipJson("slow/vocab.json");
    vocabulary["qz"] = 838;
    vocabulary["qzq"] = 839;
    write("vocab.json", vocabulary.dump());
    const std::string whole = readFile(m_folder / "merges.txt").value();
    write("merges.txt", whole + "q z\nqz q\n");
    EXPECT_EQ(failure(), "no failure");
    write("merges.txt", whole + "qz q\nq z\n");
    EXPECT_THAT(failure(),
                AllOf(HasSubstr("merges.txt: line 326, the merge \"qz q\" needs \"qz\", which line 327 "
                                "makes; an earlier one was needed")));
    // A token may be made in two ways; the first counts.
    vocabulary["zq"] = 840;
    write("vocab.json", vocabulary.dump());
    write("merges.txt", whole + "q z\nz q\nqz q\nq zq\n");
    EXPECT_EQ(failure(), "no failure");
}

TEST_F(BrokenClipFolder, IsRefusedWhereATokenHasNoIdOfItsOwnOrTwo) {
    auto vocabulary = clipJson("slow/vocab.json");
    vocabulary["b"] = vocabulary.at("a");
    write("vocab.json", vocabulary.dump());
    EXPECT_THAT(failure(),
                HasSubstr("vocab.json: the id of token \"b\" is 64, as that of \"a\"; one of its own"));
    const std::string whole = readFile(kClip / "slow/vocab.json").value();
    write("vocab.json", "{\"a\": 5," + whole.substr(whole.find('{') + 1));
    EXPECT_THAT(failure(), HasSubstr("vocab.json: \"a\" is there twice, once was needed"));
}

TEST_F(BrokenClipFolder, IsRefusedNamingTheFileOfItsMerges) {
    const std::string whole = readFile(m_folder / "merges.txt").value();
    write("merges.txt", "\xEF\xBB\xBF" + whole);
    EXPECT_THAT(failure(), HasSubstr("merges.txt: it begins with a byte order mark"));
    for (const std::string& line :
         {std::string("caf\xe9 t"), std::string("t\0 h", 4), std::string("# remark")}) {
        write("merges.txt", whole + line + "\n");
        EXPECT_THAT(failure(), AllOf(HasSubstr("merges.txt: line 326, the merge"), HasSubstr("needs \"")))
            << line;
    }
}

TEST_F(BrokenClipFolder, IsRefusedWhereAddedTokensAreNone) {
    auto config = clipJson("slow/tokenizer_config.json");
    const auto failureWith = [&](const nlohmann::json& tokens) {
        config["added_tokens_decoder"] = tokens;
        write("tokenizer_config.json", config.dump());
        return failure();
    };
    const auto fileAnd = [](const std::string& rest) {
        return HasSubstr("tokenizer_config.json: added_tokens_decoder" + rest);
    };
    const nlohmann::json token{{"content", "<new>"}};
    EXPECT_EQ(failureWith({{"838", token}}), "no failure");
    for (const std::string key : {"5abc", "x", "-1", "5.5", " 5", "", "99999999999"})
        EXPECT_THAT(failureWith({{key, token}}),
                    fileAnd(" has the key \"" + key + "\", a whole number from 0 to 16777216 was needed"));
    EXPECT_THAT(failureWith({1, 2}), fileAnd(" is [1,2], an object of ids and their tokens was needed"));
    EXPECT_THAT(failureWith("x"), fileAnd(" is \"x\", an object"));
    EXPECT_THAT(failureWith({{"838", "<new>"}}),
                fileAnd(": token 838 is \"<new>\", an object with a content"));
    EXPECT_THAT(failureWith({{"838", {{"content", 7}}}}),
                fileAnd(": token 838: content is 7, a text was needed"));
    for (const std::string key : {"lstrip", "rstrip", "normalized", "single_word", "special"})
        EXPECT_THAT(failureWith({{"838", {{"content", "<new>"}, {key, "yes"}}}}),
                    fileAnd(": token 838: " + key + " is \"yes\", true or false was needed"));
}

/// As transformers 5.17 gives them: the config's list counts in the place of tokenizer.json's, and the
/// special tokens are looked for whatever is listed.
TEST_F(BrokenClipFolder, TakesTheConfigsAddedTokensBesideTokenizerJson) {
    fs::remove_all(m_folder);
    fs::copy(kClip / "saved", m_folder);
    const auto token = [](const std::string& content) {
        return nlohmann::json{{"content", content}, {"normalized", false}};
    };
    auto tokenizer = clipJson("saved/tokenizer.json");
    auto config = clipJson("saved/tokenizer_config.json");
    const std::string text = "a zed! car";
    const auto ids = [&] {
        write("tokenizer.json", tokenizer.dump());
        write("tokenizer_config.json", config.dump());
        return ClipTokenizer(m_folder).tokenize(text);
    };
    EXPECT_EQ(ids(), (Ids{320, 89, 529, 256, 720}));
    config["added_tokens_decoder"] = {{"838", token("zed")}};
    EXPECT_EQ(ids(), (Ids{320, 838, 256, 720}));
    EXPECT_EQ(ClipTokenizer(m_folder).tokenize("<|startoftext|>zed"), (Ids{836, 838}));
    auto listed = token("zed");
    listed["id"] = 838;
    tokenizer["added_tokens"].push_back(listed);
    config["added_tokens_decoder"] = {{"838", token("car")}};
    EXPECT_EQ(ids(), (Ids{320, 89, 529, 256, 838}));
    config["added_tokens_decoder"] = nlohmann::json::object();
    EXPECT_EQ(ids(), (Ids{320, 89, 529, 256, 720}));
    config.erase("added_tokens_decoder");
    config["pad_token"] = "!";
    EXPECT_EQ(ids(), (Ids{320, 838, 0, 720}));
}

TEST_F(BrokenClipFolder, IsRefusedWhereASpecialTokenIsNone) {
    const auto config = clipJson("slow/tokenizer_config.json");
    for (const std::string name : {"tokenizer_config.json", "special_tokens_map.json"}) {
        const auto failureWith = [&](const std::string& key, const nlohmann::json& value) {
            auto changed = name == "special_tokens_map.json" ? nlohmann::json::object() : config;
            changed[key] = value;
            write(name, changed.dump());
            return failure();
        };
        for (const std::string key : {"bos_token", "eos_token", "unk_token", "pad_token", "sep_token"}) {
            EXPECT_THAT(
                failureWith(key, 7),
                HasSubstr(name + ": " + key + " is 7, a text or an object with a content was needed"));
            EXPECT_THAT(failureWith(key, {1}), HasSubstr(name + ": " + key + " is [1], a text"));
            EXPECT_THAT(failureWith(key, {{"x", 1}}),
                        HasSubstr(name + ": " + key + ": content is null, a text was needed"));
            EXPECT_EQ(failureWith(key, nullptr), "no failure") << key;
            EXPECT_EQ(failureWith(key, {{"content", "<|endoftext|>"}, {"lstrip", false}}), "no failure")
                << key;
        }
    }
}

TEST_F(BrokenClipFolder, IsRefusedWhereFurtherSpecialTokensAreNotTheConfigs) {
    using nlohmann::json;
    auto config = clipJson("slow/tokenizer_config.json");
    for (const std::string key : {"additional_special_tokens", "extra_special_tokens"}) {
        const auto failureWith = [&](const json& value) {
            auto changed = config;
            changed[key] = value;
            write("tokenizer_config.json", changed.dump());
            return failure();
        };
        const std::string name = "tokenizer_config.json: " + key;
        for (const json& none : {json(), json::array(), json::object(), json{"<|endoftext|>"}})
            EXPECT_EQ(failureWith(none), "no failure") << none;
        // One that the vocabulary has as a word, and one that it lacks.
        for (const std::string token : {"a", "<new>"}) {
            const auto isNamed =
                HasSubstr(name + " has \"" + token + "\", this version takes further special");
            EXPECT_THAT(failureWith({token}), isNamed);
            EXPECT_THAT(failureWith(json::array({{{"content", token}}})), isNamed);
            EXPECT_THAT(failureWith({{"image_token", token}}), isNamed);
        }
        EXPECT_THAT(failureWith("<new>"), HasSubstr(name + " is \"<new>\", a list of tokens was needed"));
        EXPECT_THAT(failureWith({7}), HasSubstr(name + "'s token is 7, a text"));
        write("tokenizer_config.json", config.dump());
        write("special_tokens_map.json", json{{key, {"<new>"}}}.dump());
        EXPECT_THAT(failure(), HasSubstr("special_tokens_map.json: " + key + " has \"<new>\""));
        fs::remove(m_folder / "special_tokens_map.json");
    }
    config["additional_special_tokens"] = {"<new>"};
    config["added_tokens_decoder"] = {{"838", {{"content", "<new>"}}}};
    write("tokenizer_config.json", config.dump());
    EXPECT_EQ(failure(), "no failure");
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

TEST_F(BrokenClipFolder, IsRefusedWhereTokenizerJsonHasAKeyTwice) {
    const std::string whole = clipJson("saved/tokenizer.json").dump();
    const auto writeWith = [&](const std::string& at, const std::string& added) {
        const std::size_t place = whole.find(at);
        ASSERT_NE(place, whole.npos);
        write("tokenizer.json", whole.substr(0, place + at.size()) + added + whole.substr(place + at.size()));
    };
    writeWith(R"("vocab":{)", R"("red</w>":5,)");
    EXPECT_THAT(failure(), HasSubstr("tokenizer.json: \"red</w>\" is there twice, once was needed"));
    writeWith(R"("model":{)", R"("vocab":{},)");
    EXPECT_THAT(failure(), HasSubstr("tokenizer.json: \"vocab\" is there twice, once was needed"));
    write("tokenizer.json", whole);
    EXPECT_EQ(failure(), "no failure");
    fs::remove(m_folder / "tokenizer.json");
    write("added_tokens.json", R"({"<|endoftext|>": 837, "<|endoftext|>": 836})");
    EXPECT_THAT(failure(), HasSubstr("added_tokens.json: \"<|endoftext|>\" is there twice"));
}

}  // namespace
}  // namespace reelgrid::text

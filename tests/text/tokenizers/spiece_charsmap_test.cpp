#include <gmock/gmock.h>
#include <unistd.h>

#include "core/text/tokenizers/sentencepiece_tokenizer.h"
#include "tests/text/text_fixture.h"
#include "tests/text/tokenizers/small_charsmap.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Fields of a model, of its normalizers and of its pieces.
constexpr char kPieces = 1, kNormalizer = 3, kDenormalizer = 5, kCharsmap = 2;

std::string numberOf(std::size_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
    return bytes + static_cast<char>(value);
}

std::string fieldOf(char number, const std::string& content) {
    return static_cast<char>(number << 3 | 2) + numberOf(content.size()) + content;
}

/// umT5's small likeness; of a field that is there twice the last counts.
std::string modelWith(const SmallCharsmap& map, char normalizer = kNormalizer) {
    return readFile(kFixtures / "umt5-like/spiece.model").value() +
           fieldOf(normalizer, fieldOf(kCharsmap, map.bytes()));
}

std::string failureOfModel(const std::string& bytes) {
    return failureOf([&] {
        (void)SentencePieceTokenizer::ofModel(bytes, "spiece.model").tokenize(std::string(200, 'a'));
    });
}

/// In a folder, alone or of T5's class, whose map is our own code's to read.
std::string failureInFolder(const std::string& bytes, const std::string& config) {
    const fs::path folder = fs::path(testing::TempDir()) / ("charsmap_" + std::to_string(getpid()));
    fs::create_directories(folder);
    EXPECT_TRUE(writeFile(folder / "spiece.model", bytes));
    EXPECT_TRUE(writeFile(folder / "tokenizer_config.json", config));
    const std::string failure =
        failureOf([&] { (void)SentencePieceTokenizer(folder).encode(std::string(200, 'a'), 512); });
    fs::remove_all(folder);
    return failure;
}

void expectDamaged(const SmallCharsmap& map, const std::string& how) {
    SCOPED_TRACE(how);
    const auto isNamed = HasSubstr("spiece.model: precompiled_charsmap is damaged: " + how);
    EXPECT_THAT(failureOfModel(modelWith(map)), isNamed);
    EXPECT_THAT(failureOfModel(modelWith(map, kDenormalizer)),
                HasSubstr("spiece.model: denormalizer_spec: precompiled_charsmap is damaged: " + how));
    for (const char* config : {"{}", R"({"tokenizer_class": "T5Tokenizer"})"})
        EXPECT_THAT(failureInFolder(modelWith(map), config), isNamed);
}

std::vector<std::pair<std::string, std::string>> runsOfA(std::size_t count) {
    std::vector<std::pair<std::string, std::string>> rules;
    for (std::size_t letters = 1; letters <= count; ++letters)
        rules.emplace_back(std::string(letters, 'a'), "b");
    return rules;
}

TEST(SpieceCharsmap, ReplacesWhatItsRulesSay) {
    const auto tokenizer = SentencePieceTokenizer::ofModel(
        modelWith(SmallCharsmap::of({{"x", "red"}, {"xy", "bus"}})), "spiece.model");
    EXPECT_EQ(tokenizer.tokenize("x xy"), tokenizer.tokenize("red bus"));
    EXPECT_EQ(failureOfModel(modelWith(SmallCharsmap::of(runsOfA(32)))), "no failure");
    EXPECT_EQ(failureOfModel(modelWith(SmallCharsmap::of(runsOfA(32)), kDenormalizer)), "no failure");
}

/// The library read the heap there, far behind the file: text of others, or the end of the program.
TEST(SpieceCharsmap, IsRefusedWhereAReplacementLiesBeyondTheTexts) {
    auto map = SmallCharsmap::of({{"a", "bc"}});
    for (const std::uint32_t at : {3U, 5'000'000U, 0x7FFFFFFFU}) {
        map.valueOf("a") = SmallCharsmap::kEmpty | at;
        expectDamaged(map, "a rule's replacement lies at byte " + std::to_string(at) + " of 3");
    }
    auto endless = SmallCharsmap::of({{"a", "bc"}});
    endless.texts.pop_back();
    expectDamaged(endless, "the replacement at byte 0 isn't ended by a zero byte");
    expectDamaged(SmallCharsmap::of({{"a", std::string(257, 'b')}}),
                  "the replacement at byte 0 isn't ended by a zero byte after 256 bytes at most");
}

TEST(SpieceCharsmap, IsRefusedWhereItsTrieLeadsOutOfItself) {
    auto root = SmallCharsmap::of({{"a", "b"}});
    root.units[0] = SmallCharsmap::offset(0x1FFFFF);
    expectDamaged(root, "its trie leads to unit 2097151 of 768");
    auto deeper = SmallCharsmap::of({{"a", "b"}, {"ac", "b"}});
    deeper.unitOf("ac") = SmallCharsmap::offset(1U << 20) | (1U << 9) | 'c';
    expectDamaged(deeper, "its trie leads to unit 268436");
    auto round = SmallCharsmap::of({{"abc", "b"}});
    round.unitOf("abc") = SmallCharsmap::offset((3 * 256 + 'c') ^ 256) | 'c';
    expectDamaged(round, "a way through its trie comes back to itself");
}

TEST(SpieceCharsmap, IsRefusedWhereItsTrieIsNotOfWholeBlocks) {
    auto map = SmallCharsmap::of({{"a", "b"}});
    map.units.resize(700);
    expectDamaged(map, "its trie has 2800 bytes of 2802, a multiple of 1024 up to 16777216 was needed");
    map.units.clear();
    expectDamaged(map, "its trie has 0 bytes of 2");
    const std::string model = readFile(kFixtures / "umt5-like/spiece.model").value();
    for (const std::string& bytes : {std::string("abc"), std::string("\0\0\1\0", 4) + "abcd"})
        EXPECT_THAT(failureOfModel(model + fieldOf(kNormalizer, fieldOf(kCharsmap, bytes))),
                    HasSubstr("precompiled_charsmap is damaged: its trie has"));
}

/// The library has room for that many.
TEST(SpieceCharsmap, IsRefusedWithMoreThan32RulesForOneText) {
    expectDamaged(SmallCharsmap::of(runsOfA(33)), "more than 32 of its rules match the start of one text");
}

/// Protobuf reads 32 bits of a field's number, and found a map where we saw another field.
TEST(SpieceCharsmap, CannotHideBehindANumberOfMoreBits) {
    auto map = SmallCharsmap::of({{"a", "bc"}});
    map.valueOf("a") = SmallCharsmap::kEmpty | 5'000'000U;
    const std::string field = fieldOf(kNormalizer, fieldOf(kCharsmap, map.bytes()));
    EXPECT_THAT(failureOfModel(readFile(kFixtures / "umt5-like/spiece.model").value() +
                               "\x9a\x80\x80\x80\x10" + field.substr(1)),
                HasSubstr("spiece.model: not a SentencePiece model"));
}

/// The library has room for 64 of them where it looks which one a text begins with.
TEST(UserDefinedPieces, AreRefusedWhereManyBeginALongerOne) {
    std::string model = readFile(kFixtures / "umt5-like/spiece.model").value();
    std::string piece;
    const auto add = [&] {
        piece += 'q';
        model += fieldOf(kPieces, fieldOf(1, piece) + "\x18\x04");
    };
    piece = "q";
    while (piece.size() < 65) add();
    EXPECT_EQ(failureOfModel(model), "no failure");
    add();
    EXPECT_THAT(failureOfModel(model),
                HasSubstr("begins with 64 other user-defined pieces, fewer than 64 were needed"));
}

}  // namespace
}  // namespace reelgrid::text

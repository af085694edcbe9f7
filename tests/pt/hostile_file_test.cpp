#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "core/base/pending_file.h"
#include "core/pt/pt_file.h"
#include "core/pt/zip_writer.h"
#include "tests/pt/value_text.h"

// Pickles are written by hand here: "(" is a mark, "t" a tuple from it, "R" a call, "Q" a storage's id.

namespace reelgrid::pt {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::AllOf;
using testing::HasSubstr;

const fs::path kHostileFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/pt";

class HostileFile : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("hostile_pt_" + std::to_string(getpid()));
    fs::path m_file = m_folder / "a.pt";
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    using Entries = std::vector<std::pair<std::string, std::string>>;
    void writeArchive(const Entries& entries) {
        ZipWriter zip(m_file);
        for (const auto& [name, content] : entries) zip.add(name, content);
        zip.finish();
    }
    /// One storage of 12 bytes.
    void writePickle(const std::string& pickle) {
        writeArchive({{"a/data.pkl", pickle}, {"a/data/0", std::string(12, '\1')}, {"a/version", "3\n"}});
    }
    std::string message() {
        const auto read = readPt(m_file);
        if (read) return "read: " + textOf(*read);
        EXPECT_EQ(read.error().code, ErrorCode::InvalidData);
        EXPECT_THAT(read.error().message, HasSubstr(m_file.string()));
        EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
        return read.error().message;
    }
    std::string messageOf(const std::string& pickle) {
        writePickle(pickle);
        return message();
    }
};

std::string text(const std::string& value) {
    std::string length(4, '\0');
    length[0] = char(value.size());
    return "X" + length + value;
}
std::string integer(std::int64_t value) {
    std::string digits(8, '\0');
    std::memcpy(digits.data(), &value, sizeof value);
    return "\x8a\x08"s + digits;
}
std::string tuple(const std::vector<std::int64_t>& values) {
    std::string code = "(";
    for (const std::int64_t value : values) code += integer(value);
    return code + "t";
}
std::string storage(const std::string& key, std::int64_t elements, const std::string& type = "FloatStorage") {
    return "(" + text("storage") + "ctorch\n" + type + "\n" + text(key) + text("cpu") + integer(elements) +
           "tQ";
}
std::string tensor(const std::string& stored, std::int64_t offset, const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& strides) {
    return "\x80\x02"s + "ctorch._utils\n_rebuild_tensor_v2\n(" + stored + integer(offset) + tuple(sizes) +
           tuple(strides) + "\x89" + "ccollections\nOrderedDict\n)RtR.";
}

TEST_F(HostileFile, ATensorThatIsMeantIsRead) {
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 1, {2}, {1})), HasSubstr("read: float32(2)/(1)+1"));
}

/// Without the protocol before it and the end.
std::string part(const std::string& whole) {
    return whole.substr(2, whole.size() - 3);
}
/// A dict of tensors "a" and "b".
std::string two(const std::string& a, const std::string& b) {
    return "\x80\x02}("s + text("a") + part(a) + text("b") + part(b) + "u.";
}

TEST_F(HostileFile, AStorageHasOneType) {
    const std::string words = ": tensor \"b\": its storage 0 has ";
    EXPECT_THAT(messageOf(two(tensor(storage("0", 3), 0, {3}, {1}), tensor(storage("0", 3), 1, {2}, {1}))),
                AllOf(HasSubstr("read: {\"a\": float32(3)/(1)+0:"), HasSubstr("\"b\": float32(2)/(1)+1:")));
    EXPECT_THAT(messageOf(two(tensor(storage("0", 6, "BFloat16Storage"), 0, {6}, {1}),
                              tensor(storage("0", 6, "HalfStorage"), 0, {6}, {1}))),
                HasSubstr(words + "float16 for it and bfloat16 for another one, one type was needed"));
    // Through a parameter, too.
    const std::string parameter = "\x80\x02"s + "ctorch._utils\n_rebuild_parameter\n(" +
                                  part(tensor(storage("0", 3, "IntStorage"), 0, {3}, {1})) + "\x88" +
                                  "ccollections\nOrderedDict\n)RtR.";
    EXPECT_THAT(messageOf(two(tensor(storage("0", 3), 0, {3}, {1}), parameter)),
                HasSubstr(words + "int32 for it and float32 for another one"));
}

TEST_F(HostileFile, ATensorHasTheValuesThatAreStored) {
    const std::string plain = tensor(storage("0", 3), 0, {3}, {1});
    // Before the end of the arguments, "tR.".
    const auto with = [&](const std::string& metadata) {
        return two(plain, plain.substr(0, plain.size() - 3) + metadata + "tR.");
    };
    for (const char* none : {"N", "}"}) EXPECT_THAT(messageOf(with(none)), HasSubstr("read: ")) << none;
    EXPECT_THAT(messageOf(with("}" + text("neg") + "\x88s")),
                HasSubstr(": tensor \"b\": it has metadata (\"neg\") by which it has other values than are "
                          "stored, one without was needed"));
    EXPECT_THAT(messageOf(with("K\1")), HasSubstr("tensor \"b\": it has metadata (something else"));
}

TEST_F(HostileFile, ATensorMustLieWithinItsStorage) {
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, {4}, {1})),
                AllOf(HasSubstr("shape (4)"), HasSubstr("its storage has 3")));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 2, {2}, {1})), HasSubstr("its storage has 3"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, {2, 2}, {2, 1})), HasSubstr("its storage has 3"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 3, {0}, {1})), HasSubstr("read: "));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 4, {0}, {1})), HasSubstr("its storage has 3"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), -1, {1}, {1})), HasSubstr("offset"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 2, {2}, {-1})), HasSubstr("strides from 0"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, {-1}, {1})), HasSubstr("sizes and strides"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, {1, 1}, {1})), HasSubstr("a stride for each dimension"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, std::vector<std::int64_t>(65, 1),
                                 std::vector<std::int64_t>(65, 1))),
                HasSubstr("65 dimensions"));
}

TEST_F(HostileFile, HugeNumbersDontOverflow) {
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, {kHuge}, {1})), HasSubstr("from 0 to 2^48"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, {1 << 30, 1 << 30}, {0, 0})),
                HasSubstr("2^48 elements"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), 0, {1 << 30}, {std::int64_t{1} << 40})),
                HasSubstr("within its storage"));
    EXPECT_THAT(messageOf(tensor(storage("0", 3), kHuge, {1}, {1})), HasSubstr("offset"));
}

TEST_F(HostileFile, AStorageMustBeAsLargeAsItSays) {
    EXPECT_THAT(messageOf(tensor(storage("0", 4), 0, {1}, {1})),
                HasSubstr("storage 0 has 12 bytes, 4 elements of 4 bytes were needed"));
    EXPECT_THAT(messageOf(tensor(storage("0", std::int64_t{1} << 62), 0, {1}, {1})), HasSubstr("12 bytes"));
    EXPECT_THAT(messageOf(tensor(storage("0", -1), 0, {1}, {1})), HasSubstr("12 bytes"));
}

TEST_F(HostileFile, AStorageIsLookedForInTheArchiveAlone) {
    EXPECT_THAT(messageOf(tensor(storage("../../../etc/passwd", 1), 0, {1}, {1})),
                HasSubstr("it has no storage ../../../etc/passwd"));
    EXPECT_THAT(messageOf(tensor(storage("two\nlines", 1), 0, {1}, {1})),
                HasSubstr(R"(it has no storage "two\nlines")"));
    EXPECT_THAT(messageOf(tensor(storage("/etc/passwd", 1), 0, {1}, {1})), HasSubstr("it has no storage"));
    writeArchive({{"../a/data.pkl", "N."}});
    EXPECT_THAT(message(), HasSubstr("without data.pkl"));
}

TEST_F(HostileFile, NothingIsEverRun) {
    const auto read = readPt(kHostileFixtures / "runs_code.pt");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message,
                AllOf(HasSubstr("runs_code.pt"), HasSubstr("posix.system, which is not data")));
    EXPECT_THAT(messageOf("cbuiltins\neval\n(" + text("1") + "tR."), HasSubstr("builtins.eval"));
    EXPECT_THAT(messageOf("\x80\x04" + text("os") + text("system") + "\x93."), HasSubstr("os.system"));
    EXPECT_THAT(messageOf("cnumpy.core.multiarray\nscalar\n."), HasSubstr("numpy.core.multiarray.scalar"));
    EXPECT_THAT(messageOf("(" + text("x") + "ios\nsystem\n."), HasSubstr("opcode 105"));
    EXPECT_THAT(messageOf("ctorch\nFloatStorage\n)R."), HasSubstr("can't be called"));
    EXPECT_THAT(messageOf("ctorch\nFloatStorage\n."), HasSubstr("a class or a storage"));
    EXPECT_THAT(messageOf("]}b."), HasSubstr("neither a dict nor a tensor"));
}

TEST_F(HostileFile, NestingIsBounded) {
    EXPECT_THAT(messageOf(std::string(100'000, ']') + std::string(99'999, 'a') + "."),
                HasSubstr("nested deeper"));
    // l = []; l.append(l)
    EXPECT_THAT(messageOf("]q\0h\0a."s), HasSubstr("nested deeper"));
    // Ten lists, each of which holds the one before ten times.
    std::string laughs = "]q\0"s;
    for (char i = 1; i <= 10; ++i) {
        laughs += "]q"s + i + "(";
        for (int times = 0; times < 10; ++times) laughs += "h"s + char(i - 1);
        laughs += "e";
    }
    EXPECT_THAT(messageOf(laughs + "."), HasSubstr("holds more than"));
}

TEST_F(HostileFile, ABrokenPickleIsSaidToBe) {
    for (const std::string& pickle : {""s,
                                      "."s,
                                      "0."s,
                                      "t."s,
                                      "K"s,
                                      "X\xff\xff\xff\xff."s,
                                      "]K\1s."s,
                                      "}K\1a."s,
                                      "(K\1u."s,
                                      "}(K\1u."s,
                                      "h\0."s,
                                      "q\0."s,
                                      "Q."s,
                                      "R."s,
                                      "b."s,
                                      "cos"s,
                                      "\x93."s,
                                      "\x8a\x09"
                                      "123456789."s,
                                      "\x85."s,
                                      "(."s,
                                      "\x80\x09N."s,
                                      "((tK\1Q."s,
                                      "((tQ."s,
                                      "\x95."s})
        EXPECT_THAT(messageOf(pickle), testing::Not(HasSubstr("read: "))) << testing::PrintToString(pickle);
    for (const std::string& call :
         {"ctorch\nSize\n)R."s, "ctorch\nSize\n(K\1tR."s, "ccollections\nOrderedDict\n(K\1tR."s,
          "ctorch._utils\n_rebuild_tensor_v2\n)R."s, "ctorch._utils\n_rebuild_tensor_v3\n(NNNNNNNtR."s,
          "ctorch._utils\n_rebuild_parameter\n)R."s})
        EXPECT_THAT(messageOf(call), testing::Not(HasSubstr("read: "))) << call;
}

TEST_F(HostileFile, AnOrderedDictMayBeMadeOfPairsAsPython2Did) {
    const std::string begin = "ccollections\nOrderedDict\n(](](" + text("a");
    EXPECT_EQ(messageOf(begin + "K\1eetR."), "read: {\"a\": 1}");
    for (const std::string& rest : {"eetR."s, "K\1K\2eetR."s, "K\1eeNtR."s})
        EXPECT_THAT(messageOf(begin + rest), HasSubstr("other things than a list of pairs")) << rest;
    EXPECT_THAT(messageOf("ccollections\nOrderedDict\n(](NetR."), HasSubstr("than a list of pairs"));
}

TEST_F(HostileFile, OtherFormatsAreNamed) {
    ASSERT_TRUE(writeFile(m_file, "no archive at all, and long enough for one"));
    EXPECT_THAT(message(), HasSubstr("since PyTorch 1.6"));
    ASSERT_TRUE(writeFile(m_file, "x"));
    EXPECT_THAT(message(), HasSubstr("since PyTorch 1.6"));
    writeArchive({{"word/document.xml", "<a/>"}});
    EXPECT_THAT(message(), HasSubstr("without data.pkl"));
    writeArchive({{"a/data.pkl", "N."}, {"a/byteorder", "big"}});
    EXPECT_THAT(message(), HasSubstr("not little-endian"));
    writeArchive({{"a/data.pkl", "N."}, {"a/data.pkl", "N."}});
    EXPECT_THAT(message(), HasSubstr("two entries a/data.pkl"));
    EXPECT_EQ(readPt(m_folder / "missing.pt").error().code, ErrorCode::NotFound);
    EXPECT_EQ(readPt(m_folder).error().code, ErrorCode::InvalidData);
}

TEST_F(HostileFile, LiesOfAFileBeforeArchivesAreSeen) {
    const std::string whole = readFile(kHostileFixtures / "legacy.pt").value();
    const auto said = [&](const std::string& bytes) {
        EXPECT_TRUE(writeFile(m_file, bytes));
        return message();
    };
    for (std::size_t length = 15; length < whole.size(); ++length)
        EXPECT_THAT(said(whole.substr(0, length)), testing::Not(HasSubstr("read: "))) << length;
    const auto with = [&](std::size_t at, const std::string& bytes) {
        std::string lie = whole;
        lie.replace(at, bytes.size(), bytes);
        return lie;
    };
    // Eight bytes say how many numbers follow, the last thing in the file: two of four bytes.
    const std::size_t count = whole.size() - 16;
    EXPECT_THAT(said(with(count, "\3"s)), HasSubstr("says that it has 3 elements, its tensors need 8 bytes"));
    EXPECT_THAT(said(with(count + 7, "\xff"s)), HasSubstr("says that it has -"));
    EXPECT_THAT(said(with(whole.find("little_endian") + 15, "\x89"s)), HasSubstr("not little-endian"));
    EXPECT_THAT(said(with(15, "\x80\x02M\xea\x03"s)), HasSubstr("its version is not 1001"));
    EXPECT_THAT(said(whole + "\0x"s), HasSubstr("it has 2 bytes behind its last storage, none were needed"));
}

TEST_F(HostileFile, LiesOfTheArchiveAreSeen) {
    writePickle("N.");
    const std::string whole = readFile(m_file).value();
    const std::size_t directory = whole.find("PK\x01\x02"), end = whole.find("PK\x05\x06");
    const auto changed = [&](std::size_t at, const std::string& bytes) {
        std::string lie = whole;
        lie.replace(at, bytes.size(), bytes);
        EXPECT_TRUE(writeFile(m_file, lie));
        return message();
    };
    EXPECT_THAT(changed(directory + 10, "\x08"), HasSubstr("compressed (method 8)"));
    EXPECT_THAT(changed(directory + 8, "\x01"), HasSubstr("encrypted"));
    EXPECT_THAT(changed(directory + 16, "\x01"), HasSubstr("checksum"));
    EXPECT_THAT(changed(directory + 20, "\xfe\xff\xff\x7f\xfe\xff\xff\x7f"), HasSubstr("beyond its end"));
    EXPECT_THAT(changed(directory + 20, "\xff\xff\xff\xff\xff\xff\xff\xff"), HasSubstr("beyond its end"));
    EXPECT_THAT(changed(directory + 42, "\xff\xff\xff\x7f"), HasSubstr("beyond its end"));
    EXPECT_THAT(changed(directory + 42, "\x01"), HasSubstr("no header"));
    EXPECT_THAT(changed(end + 10, "\xff\xff"), HasSubstr("a directory entry"));
    EXPECT_THAT(changed(end + 16, "\xff\xff\xff\x7f"), HasSubstr("its directory"));

    // A zip64 end record that is elsewhere, and one that promises 2^60 entries.
    std::string locator = "PK\x06\x07"s + std::string(16, '\0'),
                end64 = "PK\x06\x06"s + std::string(52, '\0');
    const auto withEnd64 = [&](std::uint64_t place, std::uint64_t entries) {
        std::memcpy(locator.data() + 8, &place, sizeof place);
        std::memcpy(end64.data() + 32, &entries, sizeof entries);
        EXPECT_TRUE(writeFile(m_file, whole.substr(0, end) + end64 + locator + whole.substr(end)));
        return message();
    };
    EXPECT_THAT(withEnd64(~std::uint64_t{0}, 1), HasSubstr("zip64 end record"));
    EXPECT_THAT(withEnd64(0, 1), HasSubstr("zip64 end record is none"));
    EXPECT_THAT(withEnd64(end, std::uint64_t{1} << 60), HasSubstr("a directory entry"));
}

TEST_F(HostileFile, ACutFileIsNeverRead) {
    const std::string whole = readFile(kHostileFixtures / "views.pt").value();
    for (std::size_t size = 1; size < whole.size(); ++size) {
        ASSERT_TRUE(writeFile(m_file, whole.substr(0, size)));
        EXPECT_THAT(message(), testing::Not(HasSubstr("read: "))) << size;
    }
}

/// Changed bytes give an error or a value all of whose elements are there, never a crash.
TEST_F(HostileFile, ChangedBytesNeverLeadOutOfTheFile) {
    std::mt19937 random(7);
    for (const char* name : {"views.pt", "plain.pt", "parameters.pth", "upstream-captures/fav2_input_2.pt"}) {
        const std::string whole = readFile(kHostileFixtures / name).value();
        for (int round = 0; round < 1000; ++round) {
            std::string changed = whole;
            const int changes = 1 + round % 4;
            for (int i = 0; i < changes; ++i) changed[random() % changed.size()] = char(random());
            ASSERT_TRUE(writeFile(m_file, changed));
            const auto read = readPt(m_file);
            EXPECT_TRUE(!read || isAllThere(*read));
        }
    }
}

/// As above, past the checksum that guards the pickle.
TEST_F(HostileFile, AChangedPickleNeverLeadsOutOfTheFile) {
    std::mt19937 random(11);
    const std::string whole = tensor(storage("0", 3), 1, {2, 1}, {1, 1});
    for (int round = 0; round < 5'000; ++round) {
        std::string changed = whole;
        for (int i = 0; i <= round % 3; ++i) changed[random() % changed.size()] = char(random());
        writePickle(changed);
        const auto read = readPt(m_file);
        EXPECT_TRUE(!read || isAllThere(*read));
    }
}

}  // namespace
}  // namespace reelgrid::pt

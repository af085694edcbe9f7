#include "core/pt/pt_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/pending_file.h"
#include "core/pt/crc32.h"
#include "core/pt/state_dict.h"
#include "core/pt/zip_archive.h"
#include "core/pt/zip_writer.h"
#include "core/safetensors/mapped_file.h"
#include "tests/pt/value_text.h"

namespace reelgrid::pt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/pt";

class PtFileTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("pt_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
};

std::shared_ptr<const Storage> storageOf(std::string bytes) {
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    return std::make_shared<const Storage>(Storage{*owner, owner});
}

Dict everyKind() {
    const auto shared = storageOf(std::string("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL"));
    Dict dict;
    dict.add("none", Value());
    dict.add("booleans", List{{true, false}});
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31,
                                      std::int64_t{-2147483648}, INT64_MAX, INT64_MIN})
        dict.add("integer", number);
    dict.add("real", -2.5);
    dict.add("text", std::string("grün \n\0 ✓", 12));
    dict.add("tuple", Tuple{{std::int64_t{1}, Tuple{}, List{}, Dict{}}});
    dict.add("size", Size{{2, 3}});
    dict.add("dtype", ElementType::F8E4M3);
    dict.add("view", Tensor{shared, ElementType::F32, 1, {2, 2}, {1, 4}});
    dict.add("other view", Tensor{shared, ElementType::F32, 0, {12}, {1}});
    dict.add("scalar", Tensor{storageOf("ab"), ElementType::BF16, 0, {}, {}});
    dict.add("empty", Tensor{storageOf(""), ElementType::I64, 0, {0, 4}, {4, 1}});
    dict.entries.push_back({std::int64_t{7}, std::string("a number for a key")});
    return dict;
}

TEST_F(PtFileTest, EveryKindSurvivesARoundTrip) {
    const Value value = everyKind();
    ASSERT_TRUE(writePt(m_folder / "a.pt", value));
    const auto read = readPt(m_folder / "a.pt");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(textOf(*read), textOf(value));
    const auto* dict = read->as<Dict>();
    EXPECT_EQ(dict->find("view")->as<Tensor>()->storage, dict->find("other view")->as<Tensor>()->storage);
    EXPECT_EQ(dict->find("missing"), nullptr);
}

TEST_F(PtFileTest, EveryStoredTypeSurvivesARoundTrip) {
    for (const ElementType type :
         {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::I64,
          ElementType::I32, ElementType::I16, ElementType::I8, ElementType::U8, ElementType::Bool}) {
        const Value value = Tensor{storageOf(std::string(48, '\1')), type, 1, {2, 2}, {2, 1}};
        ASSERT_TRUE(writePt(m_folder / "a.pt", value));
        EXPECT_EQ(textOf(readPt(m_folder / "a.pt").value()), textOf(value));
    }
    const auto refused =
        writePt(m_folder / "b.pt", Tensor{storageOf("abcd"), ElementType::F8E4M3, 0, {4}, {1}});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("torch.float8_e4m3fn"));
    EXPECT_FALSE(fs::exists(m_folder / "b.pt"));
}

TEST_F(PtFileTest, EqualValuesGiveEqualBytesAndAlignedStorages) {
    fs::create_directories(m_folder / "other");
    ASSERT_TRUE(writePt(m_folder / "a.pt", everyKind()));
    ASSERT_TRUE(writePt(m_folder / "other/a.pt", everyKind()));
    const std::string bytes = readFile(m_folder / "a.pt").value();
    EXPECT_EQ(bytes, readFile(m_folder / "other/a.pt").value());
    const ZipEntries entries = zipEntries(bytes);
    for (const auto& [name, entry] : entries) {
        EXPECT_THAT(name, testing::StartsWith("a/"));
        EXPECT_EQ((entry.bytes.data() - bytes.data()) % 64, 0) << name;
        EXPECT_EQ(crc32(entry.bytes), entry.crc) << name;
    }
    EXPECT_TRUE(entries.contains("a/data/2"));
    EXPECT_FALSE(entries.contains("a/data/3"));  // two views share one
}

TEST_F(PtFileTest, ATensorOutlivesTheFilesValue) {
    ASSERT_TRUE(writePt(m_folder / "a.pt", Tensor{storageOf("abcd"), ElementType::U8, 0, {4}, {1}}));
    const Tensor tensor = *readPt(m_folder / "a.pt").value().as<Tensor>();
    fs::remove(m_folder / "a.pt");
    EXPECT_EQ(tensor.storage->bytes, "abcd");
}

TEST_F(PtFileTest, TensorsAreHeldToTheirChecksumsWhereItIsAskedFor) {
    ASSERT_TRUE(writePt(m_folder / "a.pt", Tensor{storageOf("abcd"), ElementType::U8, 0, {4}, {1}}));
    std::string bytes = readFile(m_folder / "a.pt").value();
    bytes[bytes.find("abcd")] = 'x';
    ASSERT_TRUE(writeFile(m_folder / "a.pt", bytes));
    EXPECT_TRUE(readPt(m_folder / "a.pt"));
    EXPECT_THAT(readPt(m_folder / "a.pt", Checked::AllBytes).error().message,
                HasSubstr("a.pt: its storage 0 is damaged: the checksum is another"));
    for (const char* name : {"plain.pt", "dtypes.pt", "state_dict.pth"})
        EXPECT_TRUE(readPt(kFixtures / name, Checked::AllBytes)) << name;
}

TEST_F(PtFileTest, ReadsPlainDataOfTorchSave) {
    const auto read = readPt(kFixtures / "plain.pt");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(textOf(*read),
              "{\"none\": None, \"yes\": True, \"no\": False, "
              "\"integers\": [0, 1, 255, 256, 65535, 65536, -1, -70000, 2147483647, 2147483648, "
              "-1099511627776, 4611686018427387904, -9223372036854775808], "
              "\"reals\": [real 0.0, real -1.5, real 1e+300, real null], "
              "\"text\": \"grün ✓\", \"empty\": \"\", \"long\": \"" +
                  std::string(300, 'x') +
                  "\", \"tuple\": (1, (\"a\", None), ()), \"list\": [[], {}, [1]], "
                  "\"size\": torch.Size(2, 3), \"dtype\": torch.bfloat16, "
                  "\"shared\": [{\"a\": 1}, {\"a\": 1}], 7: \"a number for a key\"}");
}

TEST_F(PtFileTest, ReadsWhatTorchSaveWroteBeforeArchives) {
    const auto read = readPt(kFixtures / "legacy.pt");
    ASSERT_TRUE(read) << read.error().message;
    const auto* ones = read->as<Dict>()->find("a")->as<Tensor>();
    EXPECT_THAT(ones->sizes, testing::ElementsAre(2));
    float values[2] = {};
    ASSERT_EQ(ones->storage->bytes.size(), sizeof values);
    std::memcpy(values, ones->storage->bytes.data(), sizeof values);
    EXPECT_THAT(values, testing::ElementsAre(1, 1));
}

TEST_F(PtFileTest, ReadsCheckpointsOfTorchSave) {
    for (const char* name : {"state_dict.pth", "parameters.pth"}) {
        const auto read = readPt(kFixtures / name);
        ASSERT_TRUE(read) << read.error().message;
        const auto* weight = read->as<Dict>()->find("weight")->as<Tensor>();
        EXPECT_THAT(weight->sizes, testing::ElementsAre(2, 3));
        float last = 0;
        std::memcpy(&last, weight->storage->bytes.data() + 20, sizeof last);
        EXPECT_EQ(last, 5.0F) << name;
    }
}

TEST_F(PtFileTest, AFullDiskLeavesNothingUnderTheName) {
    // A folder that can't be made stands for a disk that is full.
    ASSERT_TRUE(writeFile(m_folder / "file", "x"));
    const auto refused = writePt(m_folder / "file/a.pt", everyKind());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Io);
    EXPECT_THAT(refused.error().message, HasSubstr("file"));
    try {
        ZipWriter zip("/dev/full");
        zip.add("a", std::string(1 << 20, 'x'));
        zip.finish();
        FAIL() << "nothing was said";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message, HasSubstr("No space left"));
    }
}

TEST_F(PtFileTest, ManyEntriesNeedZip64) {
    constexpr int kEntries = 70'000;
    {
        ZipWriter zip(m_folder / "many.zip");
        for (int i = 0; i < kEntries; ++i) zip.add(std::to_string(i), "x");
        zip.finish();
    }
    const auto file = safetensors::MappedFile::open(m_folder / "many.zip");
    EXPECT_EQ(zipEntries(file->bytes()).size(), std::size_t{kEntries});
}

/// By hand (--gtest_also_run_disabled_tests): takes 5 GB of disk and some seconds.
TEST_F(PtFileTest, DISABLED_AStorageAndAnOffsetAbove4GiBNeedZip64) {
    const std::uint64_t large = (std::uint64_t{1} << 32) + 4096;
    ASSERT_TRUE(writeFile(m_folder / "sparse", "x"));
    fs::resize_file(m_folder / "sparse", large);
    const auto sparse = safetensors::MappedFile::open(m_folder / "sparse");
    const auto storage = std::make_shared<const Storage>(Storage{sparse->bytes(), sparse});
    Dict dict;
    dict.add("large", Tensor{storage, ElementType::F32, 0, {std::int64_t(large / 4)}, {1}});
    dict.add("behind", Tensor{storageOf("abcd"), ElementType::U8, 0, {4}, {1}});
    ASSERT_TRUE(writePt(m_folder / "a.pt", dict));
    const auto read = readPt(m_folder / "a.pt");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->as<Dict>()->find("large")->as<Tensor>()->storage->bytes, sparse->bytes());
    EXPECT_EQ(read->as<Dict>()->find("behind")->as<Tensor>()->storage->bytes, "abcd");
    if (const char* kept = std::getenv("REELGRID_KEEP_LARGE_PT")) fs::rename(m_folder / "a.pt", kept);
}

TEST_F(PtFileTest, ADataPklInTwoFoldersIsRefused) {
    const std::string pickle = "\x80\x02}.";
    ZipWriter zip(m_folder / "two.pt");
    for (const char* folder : {"b/", "a/"}) zip.add(std::string(folder) + "data.pkl", pickle);
    zip.finish();
    const auto read = readPt(m_folder / "two.pt");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("two.pt: it has data.pkl in two folders"));
}

TEST_F(PtFileTest, OfEqualKeysTheLastCountsAsInPython) {
    Dict dict;
    dict.add("state_dict", std::int64_t{1});
    dict.add("state_dict", std::int64_t{2});
    ASSERT_TRUE(writePt(m_folder / "a.pt", dict));
    EXPECT_EQ(*readPt(m_folder / "a.pt")->as<Dict>()->find("state_dict")->as<std::int64_t>(), 2);
}

TEST_F(PtFileTest, AStateDictHasEachTensorOnce) {
    Dict dict;
    dict.add("twice", Tensor{storageOf("0123456789ab"), ElementType::F32, 0, {3}, {1}});
    dict.add("twice", Tensor{storageOf("cdefghijklmn"), ElementType::F32, 0, {3}, {1}});
    ASSERT_TRUE(writePt(m_folder / "a.pth", dict));
    const auto read = readStateDict(m_folder / "a.pth");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::InvalidData);
    EXPECT_THAT(read.error().message, HasSubstr("a.pth: tensor \"twice\" is there twice, once was needed"));
}

TEST_F(PtFileTest, AStateDictsTensorIsNoLargerThanItsStorage) {
    Dict dict;
    dict.add("usual", Tensor{storageOf("0123456789ab"), ElementType::F32, 0, {3}, {1}});
    ASSERT_TRUE(writePt(m_folder / "a.pth", dict));
    EXPECT_TRUE(readStateDict(m_folder / "a.pth"));
    dict.add("huge", Tensor{storageOf("0123"), ElementType::F32, 0, {1 << 20, 1 << 20}, {0, 0}});
    ASSERT_TRUE(writePt(m_folder / "a.pth", dict));
    const auto read = readStateDict(m_folder / "a.pth");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message,
                HasSubstr("a.pth: tensor \"huge\" of shape [1048576, 1048576] lies in a "
                          "storage of 1 numbers, one for each was needed"));
}

TEST(Crc32, OfTwoPartsIsThatOfTheWhole) {
    const std::string whole = "The quick brown fox jumps over the lazy dog";
    for (const std::size_t cut : {0UL, 1UL, 17UL, whole.size()})
        EXPECT_EQ(crc32Joined(crc32(whole.substr(0, cut)), crc32(whole.substr(cut)), whole.size() - cut),
                  crc32(whole))
            << cut;
    const std::string zeros(1000003, '\0');
    EXPECT_EQ(crc32Joined(crc32(whole), crc32(zeros), zeros.size()), crc32(whole + zeros));
}

TEST(Crc32, IsTheOneOfZip) {
    EXPECT_EQ(crc32(""), 0u);
    EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
    EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog"), 0x414FA339u);
}

}  // namespace
}  // namespace reelgrid::pt

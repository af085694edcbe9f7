#include "core/base/opened_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"

namespace reelgrid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OpenedFileTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(writeFile(m_folder / "file", "abc"));
        ASSERT_EQ(mkfifo((m_folder / "pipe").c_str(), 0600), 0);
        fs::create_symlink("circle", m_folder / "circle");
    }
    void TearDown() override { fs::remove_all(m_folder); }
    fs::path m_folder = fs::path(testing::TempDir()) / ("opened_" + std::to_string(getpid()));
};

TEST_F(OpenedFileTest, KnowsHowFarTheFileReaches) {
    const auto opened = openRegularFile(m_folder / "file");
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->bytes, 3u);
    EXPECT_EQ(std::fgetc(opened->file.get()), 'a');
}

// Without the test for a regular file each of these would wait, or read, for ever.
TEST_F(OpenedFileTest, NoReaderWaitsForWhatIsNoRegularFile) {
    using Reader = std::function<Error(const fs::path&)>;
    const std::vector<Reader> readers{
        [](const fs::path& path) { return openRegularFile(path).error(); },
        [](const fs::path& path) { return readFile(path).error(); },
        [](const fs::path& path) { return sha256OfFile(path).error(); },
    };
    for (const Reader& errorOf : readers) {
        for (const fs::path& path : {m_folder / "pipe", fs::path("/dev/zero")}) {
            EXPECT_EQ(errorOf(path).code, ErrorCode::InvalidData);
            EXPECT_THAT(errorOf(path).message, HasSubstr(path.string() + ": not a regular file"));
        }
        EXPECT_THAT(errorOf(m_folder).message, HasSubstr("it is a folder, a file was needed"));
    }
}

TEST_F(OpenedFileTest, OnlyAMissingFileIsNotFound) {
    EXPECT_EQ(readFile(m_folder / "none").error().code, ErrorCode::NotFound);
    EXPECT_EQ(readFile(m_folder / "file" / "none").error().code, ErrorCode::NotFound);
    EXPECT_EQ(readFile(m_folder / "circle").error().code, ErrorCode::Io);
    EXPECT_THAT(readFile(m_folder / "circle").error().message, HasSubstr("circle: Too many levels"));
    EXPECT_EQ(sha256OfFile(m_folder / "circle").error().code, ErrorCode::Io);
}

TEST_F(OpenedFileTest, IsHashedWhole) {
    EXPECT_EQ(sha256OfFile(m_folder / "file").value(),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string large((3 << 20) + 1, 'x');
    ASSERT_TRUE(writeFile(m_folder / "file", large));
    EXPECT_EQ(sha256OfFile(m_folder / "file").value(), sha256Hex(large));
    ASSERT_TRUE(writeFile(m_folder / "file", ""));
    EXPECT_EQ(sha256OfFile(m_folder / "file").value(), sha256Hex(""));
}

}  // namespace
}  // namespace reelgrid
